-- SPDX-License-Identifier: GPL-2.0-only
-- Random values for the scripts in this folder. One generator a thread, seeded by --seed and the
-- thread's number, so that every engine meets the same keys.

local ffi = require("ffi")

local random = {}

local ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
local LONGEST = 4096
local buffer = ffi.new("uint8_t[?]", LONGEST)
local letters = ffi.new("uint8_t[?]", #ALPHABET)
ffi.copy(letters, ALPHABET, #ALPHABET)

-- 128 of them, each with the blank behind it.
local WORDS = {}
for word in ([[
   able about after again air all also animal another answer any around ask away back before
   begin below best between big book both bring build call came carry change city close color
   come could country cover cross day different door down draw each early earth east eat end
   enough even every example eye face family far farm father feel few field find first follow
   food form found four friend garden give good great group grow half hand hard head hear help
   high home house idea keep kind know land large last late learn leave letter life light line
   list little long look made make many mean men might money month morning mother mountain move
   much music name near never next night north number often old open order other
]]):gmatch("%a+") do
   WORDS[#WORDS + 1] = word .. " "
end

function random.seed(seed, thread)
   math.randomseed(seed * 1000 + thread)
end

-- A whole number from a to b, both included, all alike.
function random.whole(a, b)
   return math.random(a, b)
end

-- Letters and digits, `least` to `most` of them.
function random.text(least, most)
   local length = math.random(least, most or least)
   for i = 0, length - 1 do
      buffer[i] = letters[math.random(0, #ALPHABET - 1)]
   end
   return ffi.string(buffer, length)
end

-- Words with blanks between them, cut to `least` to `most` characters: 7 bits a word.
function random.words(least, most)
   local length = math.random(least, most or least)
   local place = 0
   while place < length do
      local word = WORDS[math.random(1, #WORDS)]
      local part = math.min(#word, length - place)
      ffi.copy(buffer + place, word, part)
      place = place + part
   end
   return ffi.string(buffer, length)
end

-- `length` digits.
function random.digits(length)
   for i = 0, length - 1 do
      buffer[i] = math.random(48, 57)
   end
   return ffi.string(buffer, length)
end

-- The numbers 1 to n in random order.
function random.permutation(n)
   local list = {}
   for i = 1, n do
      list[i] = i
   end
   for i = n, 2, -1 do
      local j = math.random(1, i)
      list[i], list[j] = list[j], list[i]
   end
   return list
end

-- A rank from 1 to n, rank r drawn in proportion to r^-exponent (exponent not 1), by inverting the
-- continuous distribution.
function random.power_law(n, exponent)
   local power = 1 - exponent
   local rank = (1 + math.random() * ((n + 1) ^ power - 1)) ^ (1 / power)
   return math.min(n, math.floor(rank))
end

-- Spreads ranks over 1 to n, so that what is drawn often does not lie side by side: multiplying by
-- a large prime permutes the numbers below n unless the prime divides n.
function random.spread(rank, n)
   return tonumber((ffi.cast("uint64_t", rank) * 2654435761ULL) % ffi.cast("uint64_t", n)) + 1
end

return random

-- SPDX-License-Identifier: GPL-2.0-only
-- What a thread of a benchmark has done, by kind; sysbench_tool.py reads the line that tell() prints.

local kinds = {}
local done = {}   -- kind -> how often

function kinds.count(name)
   done[name] = (done[name] or 0) + 1
end

function kinds.tell()
   local parts = {}
   for name, count in pairs(done) do
      parts[#parts + 1] = name .. "=" .. count
   end
   print("kinds: " .. table.concat(parts, " "))
end

return kinds

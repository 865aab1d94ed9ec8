-- SPDX-License-Identifier: GPL-2.0-only
-- Inserts into children of foreign keys, for sysbench 1.0. Each table stands there twice: with its
-- constraints, and as NAME_free with the same columns and indexes but without them.
--
--    sysbench foreign_keys.lua --parents=N --table-options=ENGINE=E create
--    sysbench foreign_keys.lua --parents=N --table=one_parent|three_parents|one_country run
--
-- A country is a parent that every client writes for: all rows of all clients name the same one.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local random = require("random")
local whole = random.whole

sysbench.cmdline.options = {
   table = {"The child that rows go to", "one_parent"},
   parents = {"Rows of each parent", 10000},
   batch = {"Rows of an INSERT", 1},
   table_options = {"Added to each CREATE TABLE, for example ENGINE=InnoDB", ""},
   seed = {"Seed of all random values", 1}
}

local COUNTRIES, HOT_COUNTRY = 200, 49
local COLUMNS = {
   one_parent = {"customer"},
   three_parents = {"customer", "product", "warehouse"},
   one_country = {"country"}
}

local con, columns

local function create_parent(name, rows)
   con:query("CREATE TABLE " .. name .. " (id INT NOT NULL PRIMARY KEY, name VARCHAR(60) NOT NULL) "
             .. sysbench.opt.table_options)
   con:query("INSERT INTO " .. name .. " SELECT seq, CONCAT(MD5(seq), ' ', seq) FROM seq_1_to_"
             .. rows)
end

local function create_child(name, parents, constrained)
   local parts = {"id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "note VARCHAR(60) NOT NULL"}
   for _, parent in ipairs(parents) do
      parts[#parts + 1] = parent .. " INT NOT NULL, KEY " .. parent .. " (" .. parent .. ")"
      if constrained then
         parts[#parts + 1] = "FOREIGN KEY (" .. parent .. ") REFERENCES " .. parent .. " (id)"
      end
   end
   con:query("CREATE TABLE " .. name .. " (" .. table.concat(parts, ", ") .. ") "
             .. sysbench.opt.table_options)
end

function cmd_create()
   con = sysbench.sql.driver():connect()
   for _, name in ipairs({"customer", "product", "warehouse"}) do
      create_parent(name, sysbench.opt.parents)
   end
   create_parent("country", COUNTRIES)
   for name, parents in pairs(COLUMNS) do
      create_child(name, parents, true)
      create_child(name .. "_free", parents, false)
   end
end

sysbench.cmdline.commands = {create = {cmd_create}}

local function row()
   local values = {"'" .. random.text(20, 40) .. "'"}
   for i, column in ipairs(columns) do
      values[i + 1] = column == "country" and HOT_COUNTRY or whole(1, sysbench.opt.parents)
   end
   return "(" .. table.concat(values, ",") .. ")"
end

function thread_init()
   con = sysbench.sql.driver():connect()
   columns = COLUMNS[sysbench.opt.table:gsub("_free$", "")]
   random.seed(sysbench.opt.seed, sysbench.tid)
end

function event()
   local rows = {}
   for i = 1, sysbench.opt.batch do
      rows[i] = row()
   end
   con:query("INSERT INTO " .. sysbench.opt.table .. " (note, " .. table.concat(columns, ", ")
             .. ") VALUES " .. table.concat(rows, ","))
end

function thread_done()
   con:disconnect()
end

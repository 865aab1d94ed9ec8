-- SPDX-License-Identifier: GPL-2.0-only
-- The insert benchmark, for sysbench 1.0: rows in the order of an AUTO_INCREMENT key into a table
-- with three secondary indexes whose values come in no order; with --mode=query short range scans of
-- those indexes.
--
--    sysbench insert.lua --table-options=ENGINE=E create
--    sysbench insert.lua --mode=insert|query run

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local random = require("random")
local whole = random.whole

sysbench.cmdline.options = {
   mode = {"insert: events are INSERTs; query: range scans", "insert"},
   batch = {"Rows of an INSERT", 100},
   table_options = {"Added to CREATE TABLE, for example ENGINE=InnoDB", ""},
   seed = {"Seed of all random values", 1}
}

local REGISTERS, PRODUCTS, CUSTOMERS, MOST_CENTS = 1000, 10000, 100000, 50000
local RANGE = 10  -- rows of a query

local con

function cmd_create()
   con = sysbench.sql.driver():connect()
   con:query([[CREATE TABLE purchases (transactionid BIGINT NOT NULL AUTO_INCREMENT,
      dateandtime DATETIME NOT NULL, cashregisterid INT NOT NULL, customerid INT NOT NULL,
      productid INT NOT NULL, price DECIMAL(8,2) NOT NULL, data VARCHAR(200) NOT NULL,
      PRIMARY KEY (transactionid),
      KEY marketsegment (price, customerid),
      KEY registersegment (cashregisterid, price, customerid),
      KEY pdc (price, dateandtime, customerid)) ]] .. sysbench.opt.table_options)
end

sysbench.cmdline.commands = {create = {cmd_create}}

-- A price; the expensive ones are rare.
local function price()
   return random.power_law(MOST_CENTS, 0.5) / 100
end

local function insert()
   local rows = {}
   for i = 1, sysbench.opt.batch do
      -- half of the text repeats, as text does
      local word = random.text(12)
      rows[i] = string.format("(NOW(),%d,%d,%d,%.2f,'%s')", whole(1, REGISTERS),
                              whole(1, CUSTOMERS), whole(1, PRODUCTS), price(),
                              word .. word .. random.text(10, 26))
   end
   con:query("INSERT INTO purchases (dateandtime, cashregisterid, customerid, productid, price, data)"
             .. " VALUES " .. table.concat(rows, ","))
end

local QUERIES = {
   function()
      return string.format("SELECT price, customerid FROM purchases FORCE INDEX (marketsegment) "
         .. "WHERE price>=%.2f ORDER BY price, customerid LIMIT %d", price(), RANGE)
   end,
   function()
      return string.format("SELECT cashregisterid, price, customerid FROM purchases "
         .. "FORCE INDEX (registersegment) WHERE cashregisterid=%d AND price>=%.2f "
         .. "ORDER BY cashregisterid, price, customerid LIMIT %d", whole(1, REGISTERS), price(), RANGE)
   end,
   function()
      return string.format("SELECT price, dateandtime, customerid FROM purchases "
         .. "FORCE INDEX (pdc) WHERE price>=%.2f ORDER BY price, dateandtime, customerid LIMIT %d",
         price(), RANGE)
   end
}

function thread_init()
   con = sysbench.sql.driver():connect()
   local apart = sysbench.opt.mode == "query" and 500 or 0
   random.seed(sysbench.opt.seed, sysbench.tid + apart)
end

function event()
   if sysbench.opt.mode == "insert" then
      insert()
   else
      con:query(QUERIES[whole(1, #QUERIES)]())
   end
end

function thread_done()
   con:disconnect()
end

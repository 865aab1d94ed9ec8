-- SPDX-License-Identifier: GPL-2.0-only
-- TPC-C by its specification (revision 5.11), for sysbench 1.0: nine tables with the cardinalities
-- of clause 1.2, the initial population of 4.3 (its texts are random letters and digits, which hardly
-- compress; --texts=words, which is not the specification's, makes them of words), the five transactions of clause 2 in the mix of a shuffled deck (5.2.4.2). No keying
-- and think times: as fast as it goes. A terminal draws its warehouse anew for each transaction, so
-- that few threads use all warehouses.
--
--    sysbench tpcc.lua --warehouses=N --table-options=ENGINE=E create | prepare | run
--
-- `prepare` runs in parallel, a warehouse at a time. At the end of a run every thread prints how
-- many transactions of each kind it has done.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local kinds, random = require("kinds"), require("random")
local whole = random.whole

sysbench.cmdline.options = {
   warehouses = {"Number of warehouses", 1},
   table_options = {"Added to each CREATE TABLE, for example ENGINE=InnoDB", ""},
   seed = {"Seed of all random values", 1},
   texts = {"random, by the specification, or words, which compress", "random"}
}

local DISTRICTS = 10       -- of a warehouse
local CUSTOMERS = 3000     -- of a district, and as many orders
local ITEMS = 100000
local FIRST_NEW_ORDER = 2101  -- orders from here on are not delivered in the beginning
local UNUSED_ITEM = ITEMS + 1
local BATCH = 200          -- rows of an INSERT while loading
local COMMIT_EVERY = 20    -- INSERTs of a transaction: few, so that undo logs stay small

-- Constants of NURand (2.1.6): the one for last names differs between load and run, by a number
-- from 65 to 119 that is neither 96 nor 112.
local C_LAST_LOAD, C_LAST_RUN, C_CUSTOMER, C_ITEM = 157, 223, 259, 7911

local SYLLABLES = {[0] = "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}

local TABLES = {
   warehouse = [[w_id SMALLINT NOT NULL, w_name VARCHAR(10), w_street_1 VARCHAR(20),
      w_street_2 VARCHAR(20), w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9),
      w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2), PRIMARY KEY (w_id)]],
   district = [[d_id TINYINT NOT NULL, d_w_id SMALLINT NOT NULL, d_name VARCHAR(10),
      d_street_1 VARCHAR(20), d_street_2 VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2),
      d_zip CHAR(9), d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2), d_next_o_id INT,
      PRIMARY KEY (d_w_id, d_id)]],
   customer = [[c_id INT NOT NULL, c_d_id TINYINT NOT NULL, c_w_id SMALLINT NOT NULL,
      c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16), c_street_1 VARCHAR(20),
      c_street_2 VARCHAR(20), c_city VARCHAR(20), c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16),
      c_since DATETIME, c_credit CHAR(2), c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4),
      c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), c_payment_cnt SMALLINT,
      c_delivery_cnt SMALLINT, c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id),
      KEY customer_name (c_w_id, c_d_id, c_last, c_first)]],
   history = [[h_c_id INT, h_c_d_id TINYINT, h_c_w_id SMALLINT, h_d_id TINYINT, h_w_id SMALLINT,
      h_date DATETIME, h_amount DECIMAL(6,2), h_data VARCHAR(24)]],
   new_order = [[no_o_id INT NOT NULL, no_d_id TINYINT NOT NULL, no_w_id SMALLINT NOT NULL,
      PRIMARY KEY (no_w_id, no_d_id, no_o_id)]],
   orders = [[o_id INT NOT NULL, o_d_id TINYINT NOT NULL, o_w_id SMALLINT NOT NULL, o_c_id INT,
      o_entry_d DATETIME, o_carrier_id TINYINT, o_ol_cnt TINYINT, o_all_local TINYINT,
      PRIMARY KEY (o_w_id, o_d_id, o_id), KEY orders_customer (o_w_id, o_d_id, o_c_id, o_id)]],
   order_line = [[ol_o_id INT NOT NULL, ol_d_id TINYINT NOT NULL, ol_w_id SMALLINT NOT NULL,
      ol_number TINYINT NOT NULL, ol_i_id INT, ol_supply_w_id SMALLINT, ol_delivery_d DATETIME,
      ol_quantity TINYINT, ol_amount DECIMAL(6,2), ol_dist_info CHAR(24),
      PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)]],
   item = [[i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5,2),
      i_data VARCHAR(50), PRIMARY KEY (i_id)]],
   stock = [[s_i_id INT NOT NULL, s_w_id SMALLINT NOT NULL, s_quantity SMALLINT,
      s_dist_01 CHAR(24), s_dist_02 CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24),
      s_dist_05 CHAR(24), s_dist_06 CHAR(24), s_dist_07 CHAR(24), s_dist_08 CHAR(24),
      s_dist_09 CHAR(24), s_dist_10 CHAR(24), s_ytd DECIMAL(8,0), s_order_cnt SMALLINT,
      s_remote_cnt SMALLINT, s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)]]
}

-- --- values of the specification

-- 2.1.6: uneven on purpose, some values are drawn far more often than others.
local function nurand(a, x, y, c)
   return (bit.bor(whole(0, a), whole(x, y)) + c) % (y - x + 1) + x
end

-- 4.3.2.3: a last name from a number below 1000.
local function last_name(number)
   return SYLLABLES[math.floor(number / 100)] .. SYLLABLES[math.floor(number / 10) % 10]
      .. SYLLABLES[number % 10]
end

-- A text of `least` to `most` characters, as --texts says.
local function text(least, most)
   local kind = sysbench.opt.texts == "words" and random.words or random.text
   return kind(least, most)
end

local function random_customer()
   return nurand(1023, 1, CUSTOMERS, C_CUSTOMER)
end

local function random_last_name()
   return last_name(nurand(255, 0, 999, C_LAST_RUN))
end

local function zip()
   return random.digits(4) .. "11111"
end

-- Every tenth value of this kind contains the word ORIGINAL somewhere.
local function data_text()
   local value = text(26, 50)
   if whole(1, 10) > 1 then
      return value
   end
   local place = whole(0, #value - 8)
   return value:sub(1, place) .. "ORIGINAL" .. value:sub(place + 9)
end

local function address()
   return string.format("'%s','%s','%s','%s','%s'", text(10, 20), text(10, 20), text(10, 20),
                        text(2), zip())
end

-- --- loading

local con
local uncommitted = 0  -- INSERTs since the last commit

local function commit()
   if uncommitted > 0 then
      con:query("COMMIT")
   end
   uncommitted = 0
end

local function insert(name, rows)
   if #rows == 0 then
      return
   end
   if uncommitted == 0 then
      con:query("BEGIN")
   end
   con:query("INSERT INTO " .. name .. " VALUES " .. table.concat(rows, ","))
   uncommitted = uncommitted + 1
   if uncommitted == COMMIT_EVERY then
      commit()
   end
end

-- Collects rows of a table and inserts them in batches.
local function writer(name)
   local rows = {}
   local function flush()
      insert(name, rows)
      rows = {}
   end
   local function add(row)
      rows[#rows + 1] = row
      if #rows == BATCH then
         flush()
      end
   end
   return add, flush
end

-- Inserts row(1) to row(n).
local function fill(name, n, row)
   local add, flush = writer(name)
   for i = 1, n do
      add(row(i))
   end
   flush()
end

local function load_items()
   fill("item", ITEMS, function(i)
      return string.format("(%d,%d,'%s',%.2f,'%s')", i, whole(1, 10000), text(14, 24),
                           whole(100, 10000) / 100, data_text())
   end)
end

local function load_stock(w)
   fill("stock", ITEMS, function(i)
      local districts = {}
      for d = 1, DISTRICTS do
         districts[d] = "'" .. text(24) .. "'"
      end
      return string.format("(%d,%d,%d,%s,0,0,0,'%s')", i, w, whole(10, 100),
                           table.concat(districts, ","), data_text())
   end)
end

local function customer_row(w, d, c)
   local number = c <= 1000 and c - 1 or nurand(255, 0, 999, C_LAST_LOAD)
   local credit = whole(1, 10) == 1 and "BC" or "GC"
   return string.format(
      "(%d,%d,%d,'%s','OE','%s',%s,'%s',NOW(),'%s',50000,%.4f,-10,10,1,0,'%s')", c, d, w,
      text(8, 16), last_name(number), address(), random.digits(16), credit, whole(0, 5000) / 10000,
      text(300, 500))
end

local function load_orders(w, d)
   local customers, lines = random.permutation(CUSTOMERS), {}
   fill("orders", CUSTOMERS, function(o)
      lines[o] = whole(5, 15)
      local carrier = o < FIRST_NEW_ORDER and tostring(whole(1, 10)) or "NULL"
      return string.format("(%d,%d,%d,%d,NOW(),%s,%d,1)", o, d, w, customers[o], carrier, lines[o])
   end)
   local add, flush = writer("order_line")
   for o = 1, CUSTOMERS do
      local delivered = o < FIRST_NEW_ORDER
      for number = 1, lines[o] do
         local amount = delivered and 0 or whole(1, 999999) / 100
         add(string.format("(%d,%d,%d,%d,%d,%d,%s,5,%.2f,'%s')", o, d, w, number, whole(1, ITEMS),
                           w, delivered and "NOW()" or "NULL", amount, text(24)))
      end
   end
   flush()
   fill("new_order", CUSTOMERS - FIRST_NEW_ORDER + 1, function(i)
      return string.format("(%d,%d,%d)", FIRST_NEW_ORDER + i - 1, d, w)
   end)
end

local function load_district(w, d)
   insert("district", {string.format("(%d,%d,'%s',%s,%.4f,30000,%d)", d, w, text(6, 10), address(),
                                     whole(0, 2000) / 10000, CUSTOMERS + 1)})
   fill("customer", CUSTOMERS, function(c) return customer_row(w, d, c) end)
   fill("history", CUSTOMERS, function(c)
      return string.format("(%d,%d,%d,%d,%d,NOW(),10,'%s')", c, d, w, d, w, text(12, 24))
   end)
   load_orders(w, d)
end

local function load_warehouse(w)
   random.seed(sysbench.opt.seed, w)
   insert("warehouse", {string.format("(%d,'%s',%s,%.4f,300000)", w, text(6, 10), address(),
                                      whole(0, 2000) / 10000)})
   load_stock(w)
   for d = 1, DISTRICTS do
      load_district(w, d)
   end
   commit()
end

function cmd_create()
   con = sysbench.sql.driver():connect()
   for name, columns in pairs(TABLES) do
      con:query("CREATE TABLE " .. name .. " (" .. columns .. ") "
                .. sysbench.opt.table_options)
   end
end

function cmd_prepare()
   con = sysbench.sql.driver():connect()
   local threads = sysbench.opt.threads
   if sysbench.tid % threads == 0 then
      random.seed(sysbench.opt.seed, 0)
      load_items()
      commit()
   end
   for w = sysbench.tid % threads + 1, sysbench.opt.warehouses, threads do
      load_warehouse(w)
   end
end

sysbench.cmdline.commands = {
   create = {cmd_create},
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND}
}

-- --- the five transactions

-- All rows of a query, as lists.
local function rows_of(query, ...)
   local result, rows = con:query(string.format(query, ...)), {}
   for i = 1, tonumber(result.nrows) do
      rows[i] = result:fetch_row()
   end
   result:free()
   return rows
end

-- The first row; nil when there is none.
local function row_of(query, ...)
   return rows_of(query, ...)[1]
end

local function execute(statement, ...)
   con:query(string.format(statement, ...))
end

-- Another warehouse than w, or w when it is the only one.
local function other_warehouse(w)
   if sysbench.opt.warehouses == 1 then
      return w
   end
   local other = whole(1, sysbench.opt.warehouses - 1)
   return other < w and other or other + 1
end

-- 2.5.2.2: of all customers with the name, ordered by first name, the one in the middle.
local function customer_by_name(w, d, columns, lock)
   local rows = rows_of(
      "SELECT c_id, %s FROM customer WHERE c_w_id=%d AND c_d_id=%d AND c_last='%s' ORDER BY c_first%s",
      columns, w, d, random_last_name(), lock)
   return rows[math.ceil(#rows / 2)]
end

-- 60 % by last name, 40 % by number.
local function some_customer(w, d, columns, lock)
   if whole(1, 100) <= 60 then
      local found = customer_by_name(w, d, columns, lock)
      if found then
         return found
      end
   end
   return row_of("SELECT c_id, %s FROM customer WHERE c_w_id=%d AND c_d_id=%d AND c_id=%d%s",
                 columns, w, d, random_customer(), lock)
end

-- The items of an order: (item, supplying warehouse), in an order that all transactions share, so
-- that few of them lock each other out. One order in a hundred ends with an item that is not there.
local function order_items(w)
   local items, everything_local = {}, 1
   for i = 1, whole(5, 15) do
      local supply = w
      if whole(1, 100) == 1 then
         supply = other_warehouse(w)
      end
      if supply ~= w then
         everything_local = 0
      end
      items[i] = {nurand(8191, 1, ITEMS, C_ITEM), supply}
   end
   table.sort(items, function(a, b)
      return a[2] < b[2] or (a[2] == b[2] and a[1] < b[1])
   end)
   if whole(1, 100) == 1 then
      items[#items][1] = UNUSED_ITEM
   end
   return items, everything_local
end

-- One line of an order: takes the item from the stock. False when there is no such item.
local function order_one(w, d, o, number, item, supply, tax_factor)
   local found = row_of("SELECT i_price, i_name, i_data FROM item WHERE i_id=%d", item)
   if not found then
      return false
   end
   local column = string.format("s_dist_%02d", d)
   local stock = row_of(
      "SELECT s_quantity, s_data, %s FROM stock WHERE s_w_id=%d AND s_i_id=%d FOR UPDATE", column,
      supply, item)
   local quantity, left = whole(1, 10), tonumber(stock[1])
   left = left >= quantity + 10 and left - quantity or left - quantity + 91
   execute("UPDATE stock SET s_quantity=%d, s_ytd=s_ytd+%d, s_order_cnt=s_order_cnt+1, "
           .. "s_remote_cnt=s_remote_cnt+%d WHERE s_w_id=%d AND s_i_id=%d", left, quantity,
           supply == w and 0 or 1, supply, item)
   execute("INSERT INTO order_line VALUES (%d,%d,%d,%d,%d,%d,NULL,%d,%.2f,'%s')", o, d, w, number,
           item, supply, quantity, quantity * tonumber(found[1]), stock[3])
   return true
end

-- 2.4
local function new_order(w)
   local d, c = whole(1, DISTRICTS), random_customer()
   local items, everything_local = order_items(w)
   row_of("SELECT c_discount, c_last, c_credit, w_tax FROM warehouse, customer WHERE w_id=%d AND "
          .. "c_w_id=w_id AND c_d_id=%d AND c_id=%d", w, d, c)
   local district = row_of(
      "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id=%d AND d_id=%d FOR UPDATE", w, d)
   local o = tonumber(district[1])
   execute("UPDATE district SET d_next_o_id=%d WHERE d_w_id=%d AND d_id=%d", o + 1, w, d)
   execute("INSERT INTO orders VALUES (%d,%d,%d,%d,NOW(),NULL,%d,%d)", o, d, w, c, #items,
           everything_local)
   execute("INSERT INTO new_order VALUES (%d,%d,%d)", o, d, w)
   for number, item in ipairs(items) do
      if not order_one(w, d, o, number, item[1], item[2]) then
         return false
      end
   end
   return true
end

-- 2.5
local function payment(w)
   local d, amount = whole(1, DISTRICTS), whole(100, 500000) / 100
   local customer_w, customer_d = w, d
   if whole(1, 100) <= 15 then
      customer_w, customer_d = other_warehouse(w), whole(1, DISTRICTS)
   end
   execute("UPDATE warehouse SET w_ytd=w_ytd+%.2f WHERE w_id=%d", amount, w)
   local warehouse = row_of("SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name "
                            .. "FROM warehouse WHERE w_id=%d", w)
   execute("UPDATE district SET d_ytd=d_ytd+%.2f WHERE d_w_id=%d AND d_id=%d", amount, w, d)
   local district = row_of("SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name "
                           .. "FROM district WHERE d_w_id=%d AND d_id=%d", w, d)
   local customer = some_customer(
      customer_w, customer_d, "c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, "
      .. "c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_since", " FOR UPDATE")
   local c, more = tonumber(customer[1]), ""
   if customer[11] == "BC" then
      more = string.format(", c_data=LEFT(CONCAT('%d %d %d %d %d %.2f|', c_data), 500)", c,
                           customer_d, customer_w, d, w, amount)
   end
   execute("UPDATE customer SET c_balance=c_balance-%.2f, c_ytd_payment=c_ytd_payment+%.2f, "
           .. "c_payment_cnt=c_payment_cnt+1%s WHERE c_w_id=%d AND c_d_id=%d AND c_id=%d", amount,
           amount, more, customer_w, customer_d, c)
   execute("INSERT INTO history VALUES (%d,%d,%d,%d,%d,NOW(),%.2f,'%s    %s')", c, customer_d,
           customer_w, d, w, amount, warehouse[6], district[6])
   return true
end

-- 2.6
local function order_status(w)
   local d = whole(1, DISTRICTS)
   local customer = some_customer(w, d, "c_balance, c_first, c_middle, c_last", "")
   local order = row_of("SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id=%d AND "
                        .. "o_d_id=%d AND o_c_id=%d ORDER BY o_id DESC LIMIT 1", w, d,
                        tonumber(customer[1]))
   if order then
      rows_of("SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d "
              .. "FROM order_line WHERE ol_w_id=%d AND ol_d_id=%d AND ol_o_id=%d", w, d,
              tonumber(order[1]))
   end
   return true
end

-- 2.7: the oldest order of each district that is not delivered, all in one transaction.
local function delivery(w)
   local carrier = whole(1, 10)
   for d = 1, DISTRICTS do
      local oldest = row_of("SELECT no_o_id FROM new_order WHERE no_w_id=%d AND no_d_id=%d "
                            .. "ORDER BY no_o_id LIMIT 1 FOR UPDATE", w, d)
      if oldest then
         local o = tonumber(oldest[1])
         local key = string.format("o_w_id=%d AND o_d_id=%d AND o_id=%d", w, d, o)
         local line_key = string.format("ol_w_id=%d AND ol_d_id=%d AND ol_o_id=%d", w, d, o)
         execute("DELETE FROM new_order WHERE no_w_id=%d AND no_d_id=%d AND no_o_id=%d", w, d, o)
         local c = row_of("SELECT o_c_id FROM orders WHERE %s FOR UPDATE", key)[1]
         execute("UPDATE orders SET o_carrier_id=%d WHERE %s", carrier, key)
         execute("UPDATE order_line SET ol_delivery_d=NOW() WHERE %s", line_key)
         local sum = row_of("SELECT SUM(ol_amount) FROM order_line WHERE %s", line_key)[1]
         execute("UPDATE customer SET c_balance=c_balance+%s, c_delivery_cnt=c_delivery_cnt+1 "
                 .. "WHERE c_w_id=%d AND c_d_id=%d AND c_id=%s", sum, w, d, c)
      end
   end
   return true
end

-- 2.8: how many items of the district's last 20 orders are nearly sold out.
local function stock_level(w)
   local d = whole(1, DISTRICTS)
   local next_order = tonumber(row_of(
      "SELECT d_next_o_id FROM district WHERE d_w_id=%d AND d_id=%d", w, d)[1])
   row_of("SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id=%d AND ol_d_id=%d "
          .. "AND ol_o_id<%d AND ol_o_id>=%d AND s_w_id=%d AND s_i_id=ol_i_id AND s_quantity<%d",
          w, d, next_order, next_order - 20, w, whole(10, 20))
   return true
end

-- 5.2.4.2: a deck of cards that is shuffled anew when it is used up.
local KINDS = {
   {"new_order", new_order, 10}, {"payment", payment, 10}, {"order_status", order_status, 1},
   {"delivery", delivery, 1}, {"stock_level", stock_level, 1}
}
local deck, place = {}, 0

local function next_card()
   if place == #deck then
      local sorted = {}
      for _, kind in ipairs(KINDS) do
         for _ = 1, kind[3] do
            sorted[#sorted + 1] = kind
         end
      end
      deck, place = {}, 0
      for i, j in ipairs(random.permutation(#sorted)) do
         deck[i] = sorted[j]
      end
   end
   place = place + 1
   return deck[place]
end

function thread_init()
   con = sysbench.sql.driver():connect()
   random.seed(sysbench.opt.seed, sysbench.tid)
end

function event()
   local kind = next_card()
   con:query("BEGIN")
   local complete = kind[2](whole(1, sysbench.opt.warehouses))
   con:query(complete and "COMMIT" or "ROLLBACK")
   kinds.count(complete and kind[1] or "rolled_back")
end

-- A deadlock or a lock wait that took too long: the event is repeated with the same card, else the
-- transactions that meet more locks would become fewer than their share.
function sysbench.hooks.before_restart_event()
   con:query("ROLLBACK")
   place = place - 1
end

function thread_done()
   kinds.tell()
   con:disconnect()
end

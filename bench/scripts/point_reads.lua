-- SPDX-License-Identifier: GPL-2.0-only
-- Rows of one table by its primary key, which is 1 to N, for sysbench 1.0.
--
--    sysbench point_reads.lua --table=NAME --columns=A,B --rows=N run

sysbench.cmdline.options = {
   table = {"The table", "t"},
   columns = {"What is read of a row", "*"},
   rows = {"Rows of the table", 10000}
}

local con, statement, id

function thread_init()
   con = sysbench.sql.driver():connect()
   statement = con:prepare("SELECT " .. sysbench.opt.columns .. " FROM " .. sysbench.opt.table
                           .. " WHERE id = ?")
   id = statement:bind_create(sysbench.sql.type.INT)
   statement:bind_param(id)
end

function event()
   id:set(sysbench.rand.uniform(1, sysbench.opt.rows))
   statement:execute()
end

function thread_done()
   statement:close()
   con:disconnect()
end

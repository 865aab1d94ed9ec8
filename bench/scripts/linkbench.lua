-- SPDX-License-Identifier: GPL-2.0-only
-- LinkBench, the social graph workload, written anew for sysbench 1.0 from its publication
-- (Armstrong and others, SIGMOD 2013): objects in a node table, directed typed links between them,
-- and a table with the number of visible links of each object and type. The operations come in the
-- published shares; objects are chosen by power laws, hot ones spread over the key space; the
-- number of links of an object follows a power law too. Links are hidden, not removed, when deleted.
--
--    sysbench linkbench.lua --nodes=N --table-options=ENGINE=E [--partitions=N] create
--    sysbench linkbench.lua --nodes=N prepare | run

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local kinds, random = require("kinds"), require("random")
local whole = random.whole

sysbench.cmdline.options = {
   nodes = {"Number of nodes", 10000},
   table_options = {"Added to each CREATE TABLE, for example ENGINE=InnoDB", ""},
   partitions = {"Of the link table, by its first object; 0 for none", 0},
   seed = {"Seed of all random values", 1}
}

local TYPES = {123456789, 123456790}  -- of links
local NODE_TYPE = 2048
local READ_EXPONENT, WRITE_EXPONENT = 0.625, 0.606
local MOST_LINKS, LINKS_EXPONENT = 1000, 2.15  -- about two links of each type on average
local LIST_LIMIT = 10000
local NODE_BYTES, LINK_BYTES = {64, 192}, {4, 24}
local BATCH = 200
local VISIBLE, HIDDEN = 1, 0

local TABLES = {
   [[CREATE TABLE nodetable (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, type INT UNSIGNED NOT NULL,
      version BIGINT UNSIGNED NOT NULL, time INT UNSIGNED NOT NULL, data MEDIUMTEXT NOT NULL,
      PRIMARY KEY (id)) ]],
   [[CREATE TABLE linktable (id1 BIGINT UNSIGNED NOT NULL, id2 BIGINT UNSIGNED NOT NULL,
      link_type BIGINT UNSIGNED NOT NULL, visibility TINYINT NOT NULL, data VARCHAR(255) NOT NULL,
      time BIGINT UNSIGNED NOT NULL, version INT UNSIGNED NOT NULL,
      PRIMARY KEY (link_type, id1, id2),
      KEY id1_type (id1, link_type, visibility, time, id2, version, data)) ]],
   [[CREATE TABLE counttable (id BIGINT UNSIGNED NOT NULL, link_type BIGINT UNSIGNED NOT NULL,
      count INT UNSIGNED NOT NULL, time BIGINT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL,
      PRIMARY KEY (id, link_type)) ]]
}

local con

-- Half of it repeats, so that it compresses about as well as the published data.
local function payload(bytes)
   local half = random.text(math.floor(bytes[1] / 2), math.floor(bytes[2] / 2))
   return half .. string.rep(half:sub(1, 4), math.floor(#half / 4))
end

local function insert(name, rows)
   if #rows > 0 then
      con:query("INSERT INTO " .. name .. " VALUES " .. table.concat(rows, ","))
   end
end

-- --- loading

function cmd_create()
   con = sysbench.sql.driver():connect()
   for _, statement in ipairs(TABLES) do
      local divided = ""
      if sysbench.opt.partitions > 0 and statement:find("linktable", 1, true) then
         divided = string.format(" PARTITION BY KEY (id1) PARTITIONS %d", sysbench.opt.partitions)
      end
      con:query(statement .. sysbench.opt.table_options .. divided)
   end
end

-- The links of one node: appends rows for the link and the count table.
local function links_of(id, links, counts)
   for _, kind in ipairs(TYPES) do
      local number, chosen = random.power_law(MOST_LINKS, LINKS_EXPONENT) - 1, {}
      number = math.min(number, sysbench.opt.nodes)
      local there = 0
      for _ = 1, number do
         local other = whole(1, sysbench.opt.nodes)
         if not chosen[other] then
            chosen[other], there = true, there + 1
            links[#links + 1] = string.format("(%d,%d,%d,%d,'%s',%d,0)", id, other, kind, VISIBLE,
                                              payload(LINK_BYTES), os.time() - whole(0, 1000000))
         end
      end
      if there > 0 then
         counts[#counts + 1] = string.format("(%d,%d,%d,%d,0)", id, kind, there, os.time())
      end
   end
end

function cmd_prepare()
   con = sysbench.sql.driver():connect()
   local threads, tid = sysbench.opt.threads, sysbench.tid % sysbench.opt.threads
   random.seed(sysbench.opt.seed, tid)
   local first = math.floor(sysbench.opt.nodes * tid / threads) + 1
   local last = math.floor(sysbench.opt.nodes * (tid + 1) / threads)
   for start = first, last, BATCH do
      local nodes, links, counts = {}, {}, {}
      for id = start, math.min(last, start + BATCH - 1) do
         nodes[#nodes + 1] = string.format("(%d,%d,1,%d,'%s')", id, NODE_TYPE, os.time(),
                                           payload(NODE_BYTES))
         links_of(id, links, counts)
      end
      con:query("BEGIN")
      insert("nodetable", nodes)
      insert("linktable", links)
      insert("counttable", counts)
      con:query("COMMIT")
   end
end

sysbench.cmdline.commands = {
   create = {cmd_create},
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND}
}

-- --- operations

local function execute(statement, ...)
   con:query(string.format(statement, ...))
end

-- The first row of a query; nil when there is none.
local function row_of(query, ...)
   local result = con:query(string.format(query, ...))
   local row = tonumber(result.nrows) > 0 and result:fetch_row() or nil
   result:free()
   return row
end

local function chosen_node(exponent)
   return random.spread(random.power_law(sysbench.opt.nodes, exponent), sysbench.opt.nodes)
end

local function read_node()
   return chosen_node(READ_EXPONENT)
end

local function written_node()
   return chosen_node(WRITE_EXPONENT)
end

local function some_type()
   return TYPES[whole(1, #TYPES)]
end

local function change_count(id, kind, by)
   execute("INSERT INTO counttable VALUES (%d,%d,%d,%d,0) ON DUPLICATE KEY UPDATE "
           .. "count=count+(%d), version=version+1, time=%d", id, kind, math.max(by, 0), os.time(),
           by, os.time())
end

-- Makes the link visible with these data, whether it is there or not; counts it when it was not.
local function put_link(id1, id2, kind)
   local data, now = payload(LINK_BYTES), os.time()
   execute("BEGIN")
   execute("INSERT INTO linktable VALUES (%d,%d,%d,%d,'%s',%d,0) ON DUPLICATE KEY UPDATE "
           .. "visibility=%d", id1, id2, kind, VISIBLE, data, now, VISIBLE)
   -- 1: inserted, 2: was hidden, 0: was visible
   local changed = tonumber(row_of("SELECT ROW_COUNT()")[1])
   if changed ~= 1 then
      execute("UPDATE linktable SET data='%s', time=%d, version=version+1 "
              .. "WHERE link_type=%d AND id1=%d AND id2=%d", data, now, kind, id1, id2)
   end
   if changed ~= 0 then
      change_count(id1, kind, 1)
   end
   execute("COMMIT")
end

local function add_link()
   put_link(written_node(), whole(1, sysbench.opt.nodes), some_type())
end

-- A link that the node has, most likely; else any.
local function some_link(id1, kind)
   local found = row_of("SELECT id2 FROM linktable WHERE link_type=%d AND id1=%d AND id2>=%d "
                        .. "ORDER BY id2 LIMIT 1", kind, id1, whole(1, sysbench.opt.nodes))
   return found and tonumber(found[1]) or whole(1, sysbench.opt.nodes)
end

local function update_link()
   local id1, kind = written_node(), some_type()
   put_link(id1, some_link(id1, kind), kind)
end

local function delete_link()
   local id1, kind = written_node(), some_type()
   local key = string.format("link_type=%d AND id1=%d AND id2=%d", kind, id1, some_link(id1, kind))
   execute("BEGIN")
   local found = row_of("SELECT visibility FROM linktable WHERE %s FOR UPDATE", key)
   if found and tonumber(found[1]) == VISIBLE then
      execute("UPDATE linktable SET visibility=%d WHERE %s", HIDDEN, key)
      change_count(id1, kind, -1)
   end
   execute("COMMIT")
end

local function get_link()
   row_of("SELECT id1, id2, link_type, visibility, data, time, version FROM linktable "
          .. "WHERE link_type=%d AND id1=%d AND id2 IN (%d,%d)", some_type(), read_node(),
          whole(1, sysbench.opt.nodes), whole(1, sysbench.opt.nodes))
end

local function get_link_list()
   row_of("SELECT id1, id2, link_type, visibility, data, time, version FROM linktable "
          .. "FORCE INDEX (id1_type) WHERE id1=%d AND link_type=%d AND visibility=%d AND time>=0 "
          .. "AND time<=%d ORDER BY time DESC LIMIT %d", read_node(), some_type(), VISIBLE,
          os.time(), LIST_LIMIT)
end

local function count_links()
   row_of("SELECT count FROM counttable WHERE id=%d AND link_type=%d", read_node(), some_type())
end

local function get_node()
   row_of("SELECT id, type, version, time, data FROM nodetable WHERE id=%d", read_node())
end

local function add_node()
   execute("INSERT INTO nodetable (type, version, time, data) VALUES (%d,1,%d,'%s')", NODE_TYPE,
           os.time(), payload(NODE_BYTES))
end

local function update_node()
   local id = written_node()
   if row_of("SELECT version FROM nodetable WHERE id=%d", id) then
      execute("UPDATE nodetable SET version=version+1, time=%d, data='%s' WHERE id=%d", os.time(),
              payload(NODE_BYTES), id)
   end
end

local function delete_node()
   execute("DELETE FROM nodetable WHERE id=%d AND type=%d", whole(1, sysbench.opt.nodes), NODE_TYPE)
end

-- Shares in tenths of a percent.
local MIX = {
   {"get_link_list", 507, get_link_list}, {"get_node", 129, get_node}, {"add_link", 90, add_link},
   {"update_link", 80, update_link}, {"update_node", 74, update_node},
   {"count_links", 49, count_links}, {"delete_link", 30, delete_link}, {"add_node", 26, add_node},
   {"delete_node", 10, delete_node}, {"get_link", 5, get_link}
}

function thread_init()
   con = sysbench.sql.driver():connect()
   random.seed(sysbench.opt.seed, sysbench.tid)
end

function event()
   local drawn = whole(1, 1000)
   for _, operation in ipairs(MIX) do
      drawn = drawn - operation[2]
      if drawn <= 0 then
         operation[3]()
         kinds.count(operation[1])
         return
      end
   end
end

function sysbench.hooks.before_restart_event()
   con:query("ROLLBACK")
end

function thread_done()
   kinds.tell()
   con:disconnect()
end

#!/usr/bin/env sysbench
-- The statements of `weir bench oltp` in sysbench 1.0: the same table, the same prepared statements, uniform ids. For
-- comparing the two generators on one server (docs/bench.md). The table is made by `weir bench oltp prepare`.

sysbench.cmdline.options = {
   table_size = {"Rows of the table", 10000},
   mode = {"complex or simple", "complex"},
   range_size = {"Ids of a range", 100},
}

local PAD = "aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy"
local INT = sysbench.sql.type.INT

local STATEMENTS = {
   point = {"SELECT c FROM sbtest WHERE id=?", INT},
   range = {"SELECT c FROM sbtest WHERE id BETWEEN ? AND ?", INT, INT},
   sum = {"SELECT SUM(k) FROM sbtest WHERE id BETWEEN ? AND ?", INT, INT},
   order = {"SELECT c FROM sbtest WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   distinct = {"SELECT DISTINCT c FROM sbtest WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   update_key = {"UPDATE sbtest SET k=k+1 WHERE id=?", INT},
   update_nokey = {"UPDATE sbtest SET c=? WHERE id=?", {sysbench.sql.type.CHAR, 120}, INT},
   delete = {"DELETE FROM sbtest WHERE id=?", INT},
   insert = {"INSERT INTO sbtest VALUES (?,0,' ','" .. PAD .. "')", INT},
   begin = {"BEGIN"},
   commit = {"COMMIT"},
}

local con, statements = nil, {}

function thread_init()
   con = sysbench.sql.driver():connect()
   for name, s in pairs(STATEMENTS) do
      local stmt, params = con:prepare(s[1]), {}
      for i = 2, #s do
         if type(s[i]) == "table" then
            params[i - 1] = stmt:bind_create(s[i][1], s[i][2])
         else
            params[i - 1] = stmt:bind_create(s[i])
         end
      end
      if #params > 0 then
         stmt:bind_param(unpack(params))
      end
      statements[name] = {stmt = stmt, params = params}
   end
end

function thread_done()
   con:disconnect()
end

local function run(name, a, b)
   local s = statements[name]
   if a then s.params[1]:set(a) end
   if b then s.params[2]:set(b) end
   s.stmt:execute()
end

local function id()
   return sysbench.rand.uniform(1, sysbench.opt.table_size)
end

function event()
   if sysbench.opt.mode == "simple" then
      run("point", id())
      return
   end
   run("begin")
   for _ = 1, 10 do
      run("point", id())
   end
   local last = sysbench.opt.table_size - sysbench.opt.range_size
   for _, name in ipairs({"range", "sum", "order", "distinct"}) do
      local from = math.max(1, math.min(id(), last))
      run(name, from, from + sysbench.opt.range_size - 1)
   end
   run("update_key", id())
   local n = sysbench.rand.string("##########-##########-##########-##########-##########-##########-##########-##########-##########-#########")
   local s = statements.update_nokey
   s.params[1]:set(n)
   s.params[2]:set(id())
   s.stmt:execute()
   local x = id()
   run("update_key", x)
   run("delete", x)
   run("insert", x)
   run("commit")
end

-- As `weir bench`: a conflict, or a row that another transaction has put back, runs the transaction again.
sysbench.hooks.sql_error_ignorable = function(e)
   if e.sql_errno == 1213 or e.sql_errno == 1205 or e.sql_errno == 1062 then
      con:query("ROLLBACK")
      return true
   end
end

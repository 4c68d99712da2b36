/**
 * The writes of the cache as Lua, each one step on the server. A key that is new is counted first: every tenant has an
 * index of its keys, a sorted set with the time each one ends, outside the namespace of scripts.
 *
 * KEYS[1] is the key, KEYS[2] the index, ARGV[1] the most keys of a tenant. `FULL` answers are read by redis-errors.ts.
 */

/** Members of the index that are looked up when it is full: the server may have evicted keys, or others deleted them. */
const LOOK_UP = 200;

const COUNTED = `
  local function now()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
  end
  local function hasRoom()
    if redis.call('EXISTS', KEYS[1]) == 1 then return true end
    local most = tonumber(ARGV[1])
    if redis.call('ZCARD', KEYS[2]) < most then return true end
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now())
    local count = redis.call('ZCARD', KEYS[2])
    if count < most then return true end
    local first = tonumber(redis.call('TIME')[2]) % count
    for _, name in ipairs(redis.call('ZRANGE', KEYS[2], first, first + ${LOOK_UP})) do
      if redis.call('EXISTS', name) == 0 then redis.call('ZREM', KEYS[2], name) end
    end
    return redis.call('ZCARD', KEYS[2]) < most
  end
  local function note()
    local left = redis.call('PTTL', KEYS[1])
    if left >= 0 then redis.call('ZADD', KEYS[2], now() + left, KEYS[1])
    elseif left == -1 then redis.call('ZADD', KEYS[2], '+inf', KEYS[1])
    else redis.call('ZREM', KEYS[2], KEYS[1]) end
  end
  local function full(what, most) return redis.error_reply('FULL ' .. what .. ' ' .. most) end`;

const ROOM = `${COUNTED}
  if not hasRoom() then return full('keys', ARGV[1]) end`;

/** ARGV: most, value, ttl ms or ''. */
export const SET = `${ROOM}
  if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2])
  else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
  note()
  return 1`;

/** ARGV: most, value, ttl ms or ''. */
export const SET_IF_ABSENT = `${COUNTED}
  if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
  if not hasRoom() then return full('keys', ARGV[1]) end
  if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2])
  else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
  note()
  return 1`;

/** A counter that is new gets its life in the same step. ARGV: most, step, ttl ms or ''. */
export const INCREMENT = `${ROOM}
  local isNew = redis.call('EXISTS', KEYS[1]) == 0
  local sum = redis.call('INCRBYFLOAT', KEYS[1], ARGV[2])
  if isNew and ARGV[3] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
  if isNew then note() end
  return sum`;

export const DELETE = `
  local removed = redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], KEYS[1])
  return removed`;

/** ARGV: (unused), ttl ms. */
export const EXPIRE = `${COUNTED}
  local found = redis.call('PEXPIRE', KEYS[1], ARGV[2])
  if found == 1 then note() end
  return found`;

/** ARGV: most, most fields, then name and value of each field. */
export const HASH_SET = `${ROOM}
  local fresh = 0
  for i = 3, #ARGV, 2 do
    if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 0 then fresh = fresh + 1 end
  end
  if fresh > 0 and redis.call('HLEN', KEYS[1]) + fresh > tonumber(ARGV[2]) then return full('fields', ARGV[2]) end
  local added = 0
  for i = 3, #ARGV, 2 do added = added + redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  note()
  return added`;

/** KEYS[1] alone; ARGV: most bytes. @returns names and values in turn, or how many bytes there are when they are more. */
export const HASH_READ = `
  local bytes = 0
  for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
    bytes = bytes + #name + redis.call('HSTRLEN', KEYS[1], name)
  end
  if bytes > tonumber(ARGV[1]) then return bytes end
  return redis.call('HGETALL', KEYS[1])`;

/** ARGV: most, most fields, field, step. */
export const HASH_INCREMENT = `${ROOM}
  if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[2]) then
    return full('fields', ARGV[2])
  end
  local sum = redis.call('HINCRBYFLOAT', KEYS[1], ARGV[3], ARGV[4])
  note()
  return sum`;

/** A hash without fields is gone. ARGV: (unused), fields. */
export const HASH_DELETE = `${COUNTED}
  local removed = 0
  for i = 2, #ARGV do removed = removed + redis.call('HDEL', KEYS[1], ARGV[i]) end
  note()
  return removed`;

/** Words of a script's SQL: which may stand before a bracket, and which functions may be called. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that are followed by a bracket without calling anything. */
export const BRACKET_WORDS = words(`
  all and any as between binary by case cross distinct div else escape except exists force from full group having ignore
  in index inner intersect into is join key lateral like limit mod not offset on or order outer over partition
  range recursive regexp returning rlike rollup row rows select separator set some straight_join then union update use
  using value values when where window with xor
  char character date datetime dec decimal double float int integer json nchar numeric real signed time timestamp
  unsigned varchar year
`);

/** Words that no allowed statement needs, and that reach beyond rows. All are reserved or useless as names. */
export const REFUSED_WORDS = words('outfile dumpfile procedure');

/** Functions that read nothing but their arguments and the clock, wait for nobody and change nothing. */
export const FUNCTIONS = words(`
  match against count sum avg min max group_concat std stddev stddev_pop stddev_samp var_pop var_samp variance bit_and bit_or bit_xor
  json_arrayagg json_objectagg any_value
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  if ifnull nullif coalesce isnull greatest least
  ascii bin bit_length char char_length character_length concat concat_ws elt field find_in_set format from_base64 hex
  insert instr lcase left length locate lower lpad ltrim mid oct octet_length ord position quote repeat replace reverse
  right rpad rtrim soundex space strcmp substr substring substring_index to_base64 trim ucase unhex upper
  regexp_instr regexp_like regexp_replace regexp_substr
  abs acos asin atan atan2 ceil ceiling conv cos cot crc32 degrees exp floor ln log log10 log2 mod pi pow power radians
  rand round sign sin sqrt tan truncate
  adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add date_format
  date_sub datediff day dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime hour last_day localtime
  localtimestamp makedate maketime microsecond minute month monthname now period_add period_diff quarter sec_to_time
  second str_to_date subdate subtime sysdate time time_format time_to_sec timediff timestamp timestampadd timestampdiff
  to_days to_seconds unix_timestamp utc_date utc_time utc_timestamp week weekday weekofyear year yearweek
  database cast convert binary default values md5 sha sha1 sha2 uuid inet_aton inet_ntoa
  json_array json_contains json_contains_path json_depth json_extract json_insert json_keys json_length json_merge_patch
  json_merge_preserve json_object json_quote json_remove json_replace json_search json_set json_type json_unquote
  json_valid json_value
`);

/** Functions in whose brackets FROM names no table. */
export const FROM_INSIDE = words('extract trim substring substr position');

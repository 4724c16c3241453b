import { CODE_ENTERED, CONTEXT, HOT_CODES, HOT_CODES_COUNT, MAX_HOT_CODES, PARAM_HOT_ENTRIES } from '../../src/wasm/layout'

export function noteEntries(record: usize, entries: u32): void {
  const before = load<u32>(record, CODE_ENTERED)
  const after = before + entries
  const limit = load<u32>(CONTEXT, PARAM_HOT_ENTRIES)
  store<u32>(record, after, CODE_ENTERED)
  if (before >= limit || after < limit) return
  const noted = load<u32>(HOT_CODES, HOT_CODES_COUNT)
  if (noted == MAX_HOT_CODES) {
    store<u32>(record, 0, CODE_ENTERED)
    return
  }
  store<u32>(HOT_CODES + 4 + (<usize>noted << 2), record)
  store<u32>(HOT_CODES, noted + 1, HOT_CODES_COUNT)
}

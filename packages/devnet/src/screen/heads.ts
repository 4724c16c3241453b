import type { Heads } from './block-line.ts'

export interface JsonRpc {
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

interface HeadJson {
  readonly number: number
}

export async function readHeads(rollup: JsonRpc): Promise<Heads> {
  const status = (await rollup.request('rollup_syncStatus', [])) as { unsafe_l2: HeadJson; safe_l2: HeadJson; finalized_l2: HeadJson }
  return { unsafe: status.unsafe_l2.number, safe: status.safe_l2.number, finalized: status.finalized_l2.number }
}

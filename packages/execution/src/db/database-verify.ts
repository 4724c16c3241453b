/** Can run while a node uses the database. */
import { bytesToNumber, type Random } from '@keelson/primitives'
import type { KeyValueReader } from '@keelson/runtime'
import { createChainCaches, openChainReader } from '../chain/chain-reader.ts'
import { oldestBlockKey } from '../chain/keys.ts'
import type { Database, TaskContext } from './database.ts'
import { verifyChain } from './verify-chain.ts'
import { verifyState } from './verify-state.ts'

export interface VerifyParams {
  /** Checks all blocks and accounts instead of a sample. */
  readonly full: boolean
  readonly resume: string | null
}

export interface VerifyResult {
  readonly ok: boolean
  readonly blocks: number
  readonly accounts: number
  readonly problems: readonly string[]
  readonly problemCount: number
}

const SAMPLED_BLOCKS = 1_000
const MAX_LISTED = 100

export async function databaseVerify(
  { store, genesis }: Database,
  params: VerifyParams,
  random: Random,
  context: TaskContext,
): Promise<VerifyResult> {
  const problems: string[] = []
  let problemCount = 0
  const problem = (text: string) => {
    problemCount++
    if (problems.length < MAX_LISTED) problems.push(text)
  }
  const snapshot = store.snapshot()
  try {
    const chain = openChainReader(snapshot, createChainCaches(16), genesis)
    const from = params.resume === null ? null : parseResume(params.resume)
    const blocks = params.full ? Number.MAX_SAFE_INTEGER : SAMPLED_BLOCKS
    const looked = await verifyChain({ chain, from, blocks, oldest: readOldestBlock(snapshot), problem }, context)
    const accounts = await verifyState({ reader: snapshot, chain, full: params.full, random, problem }, context)
    return { ok: problemCount === 0, blocks: looked, accounts, problems, problemCount }
  } finally {
    await snapshot.close()
  }
}

export function readOldestBlock(reader: KeyValueReader): number | null {
  const raw = reader.getSync(oldestBlockKey())
  return raw === null ? null : bytesToNumber(raw)
}

/** Accounts change with every block, so their check never resumes. */
function parseResume(resume: string): number | null {
  const number = /^block:(\d+)$/.exec(resume)?.[1]
  return number === undefined ? null : Number(number)
}

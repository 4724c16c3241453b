/** Checks that layers connect the head to the disk layer, and that the tables match the trie. */
import { bytesToHex, equalBytes, type Random } from '@keelson/primitives'
import type { KeyValueReader } from '@keelson/runtime'
import { checkAccount, readDiskBlock, readLayers, type StoredLayer, walkTables } from '@keelson/state'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { TaskContext } from './database.ts'

export interface VerifyStateInput {
  readonly reader: KeyValueReader
  readonly chain: ChainReader
  readonly full: boolean
  readonly random: Random
  problem(text: string): void
}

const SAMPLED_ACCOUNTS = 256
const HASH_PREFIXES = 2 ** 16

export async function verifyState(input: VerifyStateInput, context: TaskContext): Promise<number> {
  const { reader, chain, full, random, problem } = input
  const disk = readDiskBlock(reader)
  const header = chain.header(disk.hash)
  if (header === null) problem(`the state on disk is that of block ${disk.hash}, which is not stored`)
  else {
    if (header.stateRoot !== disk.stateRoot)
      problem(`the state on disk claims root ${disk.stateRoot}; block ${disk.number} says ${header.stateRoot}`)
    if (!chain.isCanonical({ hash: disk.hash, header }))
      problem(`the state on disk is that of block ${disk.number} (${disk.hash}), which is not on the chain of the head`)
  }
  await verifyLayers(input)
  if (full) return verifyTables(input, disk.stateRoot, context)
  for (let i = 0; i < SAMPLED_ACCOUNTS; i++) {
    const wrong = await checkAccount(reader, random.bytes(32), disk.stateRoot)
    if (wrong !== null) problem(wrong)
    context.report({ phase: 'accounts', done: i + 1, of: SAMPLED_ACCOUNTS, resume: null })
    await context.breathe()
  }
  return SAMPLED_ACCOUNTS
}

async function verifyLayers({ reader, chain, problem }: VerifyStateInput): Promise<void> {
  const disk = readDiskBlock(reader)
  const layers = new Map<string, StoredLayer>()
  for await (const layer of readLayers(reader)) {
    layers.set(layer.hash, layer)
    const header = chain.header(layer.hash)
    if (header === null) problem(`there is a state layer for block ${layer.hash}, which is not stored`)
    else if (header.stateRoot !== layer.stateRoot)
      problem(`the state layer of block ${layer.number} has root ${layer.stateRoot}; its header says ${header.stateRoot}`)
  }
  let at = chain.label('unsafe').hash as string
  while (at !== disk.hash) {
    const layer = layers.get(at)
    if (layer === undefined) {
      problem(`the state of the head is missing: there is no layer for ${at} above the state on disk (block ${disk.number})`)
      return
    }
    at = layer.parentHash
  }
}

async function verifyTables({ reader, problem }: VerifyStateInput, stateRoot: string, context: TaskContext): Promise<number> {
  const walked = await walkTables(reader, {
    node(key, rlp) {
      const stored = reader.getSync(key)
      if (stored === null) problem(`the trie node at ${bytesToHex(key)} is missing`)
      else if (!equalBytes(stored, rlp)) problem(`the trie node at ${bytesToHex(key)} is not that of the accounts below it`)
    },
    problem: (addressHash, what) => problem(`account ${bytesToHex(addressHash)}: ${what}`),
    async breathe({ at }) {
      const done = ((at[0] as number) << 8) | (at[1] as number)
      context.report({ phase: 'accounts', done, of: HASH_PREFIXES, resume: null })
      await context.breathe()
    },
  })
  if (bytesToHex(walked.root) !== stateRoot)
    problem(`all accounts together have the root ${bytesToHex(walked.root)}; expected ${stateRoot}`)
  return walked.accounts
}

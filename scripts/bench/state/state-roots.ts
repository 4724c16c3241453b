/**
 * Compares state roots with @ethereumjs/mpt on LevelDB in CPU time, without writes to disk.
 *   node --import=tsx scripts/bench/state/state-roots.ts [--accounts N] [--changed N] [--blocks N]
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { ValueEncoding } from '@ethereumjs/util'
import {
  type Bytes20,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  encodeStateDiff,
  keccak256,
  keccak256Hash,
  rlpEncode,
  toAddress,
  utf8ToBytes,
} from '@keelson/primitives'
import { openLevelStore } from '@keelson/runtime'
import { computeGenesisState, type GenesisState, openStateStore } from '@keelson/state'
import { Level } from 'level'
import { createDatabase, writeEthereumjsGenesis } from '../execution/ethereumjs-vm.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { median } from '../measure.ts'
import { formatTable } from '../table.ts'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '30000' },
    changed: { type: 'string', default: '1000' },
    blocks: { type: 'string', default: '7' },
  },
})
const accountCount = Number(values.accounts)
const changedCount = Number(values.changed)
const blockCount = Number(values.blocks)
const CACHED_NODES = 400_000

interface Change {
  readonly address: Bytes20
  readonly nonce: bigint
  readonly balanceWei: bigint
}

const addressOf = (i: number): Bytes20 => keccak256(utf8ToBytes(`account ${i}`)).subarray(0, 20)

function changesOf(block: number): readonly Change[] {
  const chosen = new Set(
    Array.from({ length: changedCount }, (_, at) => ((Math.imul(at + 1, 2_654_435_761) + block * 977) >>> 0) % accountCount),
  )
  return [...chosen].map((i) => ({ address: addressOf(i), nonce: BigInt(block), balanceWei: BigInt(i + 1) }))
}

async function cpuMs<T>(work: () => T | Promise<T>): Promise<readonly [T, number]> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return [result, (user + system) / 1_000]
}

async function openTrie(directory: string, genesis: GenesisState, tuned: boolean): Promise<MerklePatriciaTrie> {
  await writeEthereumjsGenesis(directory, genesis)
  const level = new Level<Uint8Array, Uint8Array>(directory, { keyEncoding: 'view', valueEncoding: 'view', cacheSize: 64 * 2 ** 20 })
  await level.open()
  const custom = tuned ? { customCrypto: { keccak256 } } : {}
  return new MerklePatriciaTrie({
    db: createDatabase(level).db,
    root: genesis.computed.root,
    useKeyHashing: true,
    valueEncoding: ValueEncoding.Bytes,
    common: createCustomCommon({ chainId: 901 }, Mainnet, { hardfork: Hardfork.Cancun, ...custom }),
    ...(tuned ? { cacheSize: CACHED_NODES } : {}),
  })
}

async function change(trie: MerklePatriciaTrie, changes: readonly Change[]): Promise<string> {
  for (const { address, nonce, balanceWei } of changes) {
    await trie.put(address, rlpEncode([nonce, balanceWei, EMPTY_TRIE_ROOT_BYTES, EMPTY_CODE_HASH_BYTES]))
  }
  return bytesToHex(trie.root())
}

const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-roots-'))
try {
  const genesis = computeGenesisState(
    Array.from({ length: accountCount }, (_, i) => ({
      address: toAddress(addressOf(i)),
      nonce: 0n,
      balanceWei: 10n ** 18n,
      code: new Uint8Array(0),
      storage: [],
    })),
  )
  const store = await openLevelStore({ directory: join(directory, 'keelson') })
  const state = await openStateStore(store, { keepLayers: 0 })
  let head = keccak256Hash(utf8ToBytes('genesis'))
  await state.initGenesis(genesis, { hash: head, number: 0 })
  const tries = [await openTrie(join(directory, 'tuned'), genesis, true), await openTrie(join(directory, 'stock'), genesis, false)]

  const times: number[][] = [[], [], []]
  for (let number = 1; number <= blockCount; number++) {
    const changes = changesOf(number)
    const accounts = changes.map((one) => ({ ...one, deleted: false, storageReset: false, codeHash: EMPTY_CODE_HASH_BYTES, slots: [] }))
    const diff = encodeStateDiff({ accounts, codes: [] })
    const [computed, ms] = await cpuMs(() => state.rootOf(head, diff))
    times[0]?.push(ms)
    for (const [i, trie] of tries.entries()) {
      const [root, theirMs] = await cpuMs(() => change(trie, changes))
      assert.equal(root, bytesToHex(computed.root), `block ${number}`)
      times[i + 1]?.push(theirMs)
    }
    const hash = keccak256Hash(computed.root)
    const staged = state.stageLayer({ hash, parentHash: head, number, diff, computed })
    await store.batch(staged.ops)
    staged.publish()
    head = hash
  }
  await store.close()
  const [ours, ...theirs] = times.map(median) as [number, ...number[]]
  console.log(machineLine(describeMachine()))
  console.log(
    formatTable(
      ['CPU ms per block, median', 'Keelson', '@ethereumjs/mpt tuned', 'as it comes'],
      [
        [
          `${changedCount} of ${accountCount} accounts`,
          ours.toFixed(0),
          ...theirs.map((ms) => `${ms.toFixed(0)} (${(ms / ours).toFixed(1)}x)`),
        ],
      ],
    ),
  )
} finally {
  rmSync(directory, { recursive: true })
}

/**
 * State cost of a block on LevelDB: accounts are read, changed, rooted, staged, written and flattened.
 *   node --import=tsx scripts/bench/state/state.ts [--accounts N] [--changed N] [--blocks N]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type AccountChange,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  encodeStateDiff,
  type Hash,
  keccak256,
  keccak256Hash,
  toAddress,
  utf8ToBytes,
} from '@keelson/primitives'
import { openLevelStore } from '@keelson/runtime'
import { computeGenesisState, openStateStore } from '@keelson/state'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100000' },
    changed: { type: 'string', default: '2000' },
    blocks: { type: 'string', default: '10' },
  },
})
const accountCount = Number(values.accounts)
const changedCount = Number(values.changed)
const blockCount = Number(values.blocks)

const addressOf = (i: number) => keccak256(utf8ToBytes(`account ${i}`)).subarray(0, 20)

function createSequence(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

async function timed<T>(work: () => T | Promise<T>): Promise<readonly [T, number]> {
  const started = performance.now()
  const result = await work()
  return [result, performance.now() - started]
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] as number
}

const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-state-'))
try {
  const store = await openLevelStore({ directory })
  const state = await openStateStore(store, { keepLayers: 0 })
  const alloc = Array.from({ length: accountCount }, (_, i) => ({
    address: toAddress(addressOf(i)),
    nonce: 0n,
    balanceWei: 10n ** 18n + BigInt(i),
    code: new Uint8Array(0),
    storage: [],
  }))
  const [genesis, genesisMs] = await timed(() => computeGenesisState(alloc))
  let head = keccak256Hash(utf8ToBytes('genesis'))
  const [, writeMs] = await timed(() => state.initGenesis(genesis, { hash: head, number: 0 }))

  const pick = createSequence(7)
  const samples: Record<string, number[]> = { read: [], root: [], stage: [], 'write A': [], 'flatten B': [] }
  let layerBytes = 0
  for (let number = 1; number <= blockCount; number++) {
    const chosen = [...new Set(Array.from({ length: changedCount }, () => pick(accountCount)))]
    const view = state.viewAt(head)
    if (view === null) throw new Error(`no state for ${head}`)
    const [accounts, readMs] = await timed(() => chosen.map((i) => view.account(addressOf(i))))
    const changes = chosen.map((i, at): AccountChange => {
      const account = accounts[at]
      if (account === null || account === undefined) throw new Error(`account ${i} is missing`)
      const { nonce, balanceWei } = account
      return {
        address: addressOf(i),
        deleted: false,
        storageReset: false,
        nonce: nonce + 1n,
        balanceWei: balanceWei - 1n,
        codeHash: EMPTY_CODE_HASH_BYTES,
        slots: [],
      }
    })
    const diff = encodeStateDiff({ accounts: changes, codes: [] })
    const [computed, rootMs] = await timed(() => state.rootOf(head, diff))
    const hash = bytesToHex(keccak256(computed.root)) as Hash
    const [staged, stageMs] = await timed(() => state.stageLayer({ hash, parentHash: head, number, diff, computed }))
    const [, batchMs] = await timed(() => store.batch(staged.ops))
    staged.publish()
    layerBytes = state.layerBytes
    const [, flattenMs] = await timed(() => state.flatten(hash, number))
    head = hash
    const times = { read: readMs, root: rootMs, stage: stageMs, 'write A': batchMs, 'flatten B': flattenMs }
    for (const [name, ms] of Object.entries(times)) samples[name]?.push(ms)
  }
  await store.close()

  console.log(`${accountCount} accounts: genesis computed in ${genesisMs.toFixed(0)} ms, written in ${writeMs.toFixed(0)} ms`)
  console.log(`${blockCount} blocks of ${changedCount} changed accounts, layer record ${(layerBytes / 1024).toFixed(0)} KiB\n`)
  console.log('step        median ms   first ms')
  for (const [name, times] of Object.entries(samples)) {
    console.log(`${name.padEnd(10)} ${median(times).toFixed(1).padStart(10)} ${(times[0] ?? 0).toFixed(1).padStart(10)}`)
  }
} finally {
  rmSync(directory, { recursive: true })
}

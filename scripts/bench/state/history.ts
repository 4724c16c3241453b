/**
 * Cost of state history on LevelDB for idle or full blocks.
 *   node --import=tsx scripts/bench/state/history.ts [--kind idle|full] [--blocks N] [--window N] [--accounts N] [--jump N]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { bytesToHex, encodeStateDiff, equalBytes, type Hash, keccak256, keccak256Hash, toAddress, utf8ToBytes } from '@keelson/primitives'
import { type KeyValueStore, nextTurn, openLevelStore } from '@keelson/runtime'
import { computeGenesisState, createWitnessState, openStateStore, type StateProof, type StateView } from '@keelson/state'
import { addressOf, BENCH_CONTRACTS, changesOfFullBlock, changesOfIdleBlock, slotOf } from './state-changes.ts'

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'idle' },
    blocks: { type: 'string', default: '20000' },
    window: { type: 'string' },
    accounts: { type: 'string', default: '100000' },
    jump: { type: 'string', default: '32' },
  },
})
const full = values.kind === 'full'
const [blocks, accounts, jump] = [Number(values.blocks), Number(values.accounts), Number(values.jump)]
const window = Number(values.window ?? values.blocks)

const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-history-'))
const sizeOnDisk = () => readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0)

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function longestPiece(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let running = true
  let last = cpuMs()
  const watch = (async () => {
    while (running) {
      await nextTurn()
      const now = cpuMs()
      longest = Math.max(longest, now - last)
      last = now
    }
  })()
  await work()
  running = false
  await watch
  return longest
}

function quantile(numbers: readonly number[], q: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

const opened: KeyValueStore[] = []
const open = async () => {
  const store = await openLevelStore({ directory })
  opened.push(store)
  const options = { keepLayers: 0, historyBlocks: window, historyBytes: Number.MAX_SAFE_INTEGER }
  return { store, state: await openStateStore(store, options, { breathe: nextTurn }) }
}

function holds(proof: StateProof, root: Uint8Array, address: Uint8Array): boolean {
  const nodes = [...proof.accountProof, ...proof.storageProofs.flatMap((slot) => slot.proof)]
  const { view } = createWitnessState(new Map(nodes.map((node) => [bytesToHex(keccak256(node)), node])), root)
  const account = view.account(address)
  return (
    account?.balanceWei === proof.account?.balanceWei &&
    proof.storageProofs.every(({ slot, value }) => equalBytes(view.storage(address, slot), value))
  )
}

try {
  let { store, state } = await open()
  const alloc = [
    ...Array.from({ length: accounts }, (_, i) => toAddress(addressOf(i))),
    ...BENCH_CONTRACTS.map((address) => toAddress(address)),
  ].map((address, i) => ({ address, nonce: 1n, balanceWei: 10n ** 18n + BigInt(i), code: new Uint8Array(0), storage: [] }))
  const genesis = computeGenesisState(alloc)
  let head = keccak256Hash(utf8ToBytes('genesis'))
  await state.initGenesis(genesis, { hash: head, number: 0 })
  const roots = new Map<number, Uint8Array>()

  const flattenMs: number[] = []
  const prunedMs: number[] = []
  const pieces: number[] = []
  let rootMs = 0
  for (let number = 1; number <= blocks; number++) {
    const view = state.viewAt(head) as StateView
    const changes = full ? changesOfFullBlock(view, number, accounts) : changesOfIdleBlock(view, number)
    const began = cpuMs()
    const diff = encodeStateDiff({ accounts: changes, codes: [] })
    const computed = state.rootOf(head, diff)
    rootMs += cpuMs() - began
    const hash = bytesToHex(keccak256(Uint8Array.of(...computed.root, ...Buffer.from(String(number))))) as Hash
    // Skips batch A, whose only effect would be a record that the flatten deletes again.
    state.stageLayer({ hash, parentHash: head, number, diff, computed }).publish()
    head = hash
    if (number % 1_000 === 0 || number > blocks - 64) roots.set(number, computed.root)
    if (number % jump !== 0 && number !== blocks) continue
    const pruning = number > window + jump
    const from = state.disk?.number ?? 0
    const flatten = async () => {
      while ((await state.flatten(head, number)) !== null) await nextTurn()
    }
    if ((number / jump) % 2 === 0) pieces.push(await longestPiece(flatten))
    else {
      const start = cpuMs()
      await flatten()
      const due = (state.disk?.number ?? 0) - from
      if (due > 0) (pruning ? prunedMs : flattenMs).push((cpuMs() - start) / due)
    }
    if (number % 20_000 < jump) console.error(`block ${number}, ${(sizeOnDisk() / 2 ** 20).toFixed(0)} MiB`)
  }

  await store.close()
  ;({ store, state } = await open())
  const oldest = state.oldestHistory ?? 0
  const checked = [...roots.keys()].find((number) => number >= oldest) ?? blocks
  const [l1Block] = BENCH_CONTRACTS
  const times = { plain: [] as number[], slots: [] as number[] }
  for (let i = 0; i < 50; i++) {
    const at = i < 25 ? oldest : checked
    const address = i % 2 === 0 ? (BENCH_CONTRACTS[(i >> 1) % BENCH_CONTRACTS.length] as Uint8Array) : addressOf((i * 7_919) % accounts)
    for (const count of [0, 16]) {
      const slots = Array.from({ length: count }, (_, slot) => slotOf(slot + i))
      const start = performance.now()
      const proof = state.proofAtNumber(at, count === 0 ? address : (l1Block as Uint8Array), slots)
      ;(count === 0 ? times.plain : times.slots).push(performance.now() - start)
      if (proof === null) throw new Error(`no proof at block ${at}, the oldest is ${oldest}`)
      const root = roots.get(at)
      if (root !== undefined && !holds(proof, root, count === 0 ? address : (l1Block as Uint8Array))) throw new Error(`bad proof at ${at}`)
    }
  }
  const kept = blocks - oldest
  await store.close()

  const ms = (value: number) => `${value.toFixed(2)} ms`
  const line = (name: string, value: string) => console.log(`${name.padEnd(34)} ${value}`)
  line(`${values.kind} blocks, kept`, `${blocks}, ${kept}`)
  line('history, bytes per block', (state.historyBytes / kept).toFixed(0))
  line('store on disk', `${(sizeOnDisk() / 2 ** 20).toFixed(0)} MiB`)
  line('root, CPU per block', ms(rootMs / blocks))
  line('flatten, CPU per block: median, p99', `${ms(quantile(flattenMs, 0.5))}, ${ms(quantile(flattenMs, 0.99))}`)
  if (prunedMs.length > 0) line('the same with as much pruning', `${ms(quantile(prunedMs, 0.5))}, ${ms(quantile(prunedMs, 0.99))}`)
  line('longest piece, CPU: median, p99, maximum', [0.5, 0.99, 1].map((q) => ms(quantile(pieces, q))).join(', '))
  line('proof at the end of the window: median, maximum', `${ms(quantile(times.plain, 0.5))}, ${ms(quantile(times.plain, 1))}`)
  line('the same with 16 slots', `${ms(quantile(times.slots, 0.5))}, ${ms(quantile(times.slots, 1))}`)
} finally {
  for (const store of opened) await store.close()
  rmSync(directory, { recursive: true })
}

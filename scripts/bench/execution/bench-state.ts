/** The same state in our store and in that of @ethereumjs/vm, reused by later runs. */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Address,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  type GenesisAccount,
  type Hash,
  hashHeader,
  hexToBytes,
  keccak256,
  L2_TO_L1_MESSAGE_PASSER,
} from '@keelson/primitives'
import { openLevelStore } from '@keelson/runtime'
import { type GenesisState, openStateStore } from '@keelson/state'
import { openChain } from '../../../packages/execution/src/chain/open-chain.ts'
import { encodeFlatAccount, encodeTrieAccount } from '../../../packages/state/src/account-codec.ts'
import { BUCKETS, bucketKey, META_DISK, metaKey } from '../../../packages/state/src/buckets.ts'
import { encodeDiskMarker } from '../../../packages/state/src/disk/disk-marker.ts'
import { encodeTrieSlot, trimSlotValue } from '../../../packages/state/src/slot-value.ts'
import { createTrieBuilder } from '../../../packages/state/src/trie/build-trie.ts'
import { BENCH_BALANCE_WEI, BENCH_TOKEN_BALANCE, type BenchAccounts, balanceSlot, benchContracts, isToken } from '../accounts.ts'
import { createBenchChain, executionChain } from './bench-chain.ts'
import { ethereumjsCodeKey, openEthereumjsLevel } from './ethereumjs-vm.ts'
import { BENCH_CHAIN_ID } from './workloads.ts'

export type BenchGenesis = Pick<GenesisState, 'stateRoot' | 'storageRoot'>
type StoreName = 'keelson' | 'ethereumjs'

export interface BenchState {
  readonly genesis: BenchGenesis
  /** Links large files, because LevelDB never changes them. */
  copy(store: StoreName, to: string): void
}

/** Increment when accounts or records of either store change. */
const VERSION = 1
const FACTS = 'state.json'

interface Facts {
  readonly stateRoot: Hash
  readonly messagePasserRoot: Hash | null
}

export async function openBenchState(parent: string, accounts: BenchAccounts, progress: (line: string) => void): Promise<BenchState> {
  const folder = join(parent, `v${VERSION}-${accounts.count}-accounts-${accounts.senders}-senders`)
  const facts = join(folder, FACTS)
  if (!existsSync(facts)) {
    progress(`writing a state of ${accounts.count} accounts into ${folder}`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(facts, JSON.stringify(await new StateWriter(accounts).write(folder)))
  }
  const { stateRoot, messagePasserRoot } = JSON.parse(readFileSync(facts, 'utf8')) as Facts
  return {
    genesis: { stateRoot, storageRoot: (address: Address) => (address === L2_TO_L1_MESSAGE_PASSER ? messagePasserRoot : null) },
    copy: (store, to) => linkStore(join(folder, store), to),
  }
}

function linkStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    if (!name.endsWith('.ldb')) {
      copyFileSync(source, target)
      continue
    }
    try {
      linkSync(source, target)
    } catch {
      copyFileSync(source, target)
    }
  }
}

interface Entry {
  readonly key: Uint8Array
  readonly preimage: Uint8Array
  readonly value: Uint8Array
}

interface Writer {
  put(key: Uint8Array, value: Uint8Array): void
  flush(): Promise<void>
}

const OPS_PER_BATCH = 10_000

class StateWriter {
  readonly #accounts: BenchAccounts
  #ours!: Writer
  #theirs!: Writer
  #waiting = 0

  constructor(accounts: BenchAccounts) {
    this.#accounts = accounts
  }

  async write(folder: string): Promise<Facts> {
    const store = await openLevelStore({ directory: join(folder, 'keelson') })
    const level = await openEthereumjsLevel(join(folder, 'ethereumjs'))
    this.#ours = writerOf((ops) => store.batch(ops.map(([put, value]) => ({ put, value }))))
    this.#theirs = writerOf((ops) => level.batch(ops.map(([key, value]) => ({ type: 'put', key, value }))))
    const facts = await this.#state()
    const genesis = { stateRoot: facts.stateRoot, storageRoot: () => facts.messagePasserRoot }
    const chain = createBenchChain('rollup', BENCH_CHAIN_ID, genesis)
    const block = { hash: hashHeader(chain.genesisHeader), number: 0, stateRoot: facts.stateRoot }
    this.#ours.put(metaKey(META_DISK), encodeDiskMarker(block))
    await this.#flush()
    await openChain(store, await openStateStore(store), executionChain(chain), { cachedBlocks: 1 })
    await store.close()
    await level.close()
    return facts
  }

  async #state(): Promise<Facts> {
    const { count, address } = this.#accounts
    let messagePasserRoot: Hash | null = null
    const entries: Entry[] = []
    for (const contract of benchContracts(count)) {
      const preimage = hexToBytes(contract.address)
      const storageRoot = await this.#storage(contract)
      if (contract.address === L2_TO_L1_MESSAGE_PASSER) messagePasserRoot = bytesToHex(storageRoot) as Hash
      const codeHash = keccak256(contract.code)
      this.#ours.put(bucketKey(BUCKETS.code, codeHash), contract.code)
      this.#theirs.put(ethereumjsCodeKey(codeHash), contract.code)
      const { nonce, balanceWei } = contract
      entries.push(this.#account(preimage, { nonce, balanceWei, storageRoot, codeHash }))
    }
    const plain = { nonce: 0n, balanceWei: BENCH_BALANCE_WEI, storageRoot: EMPTY_TRIE_ROOT_BYTES, codeHash: EMPTY_CODE_HASH_BYTES }
    for (let i = 0; i < count; i++) entries.push(this.#account(address(i), plain))
    await this.#flush()
    return { stateRoot: bytesToHex(await this.#trie(entries, Uint8Array.of(BUCKETS.accountNode))) as Hash, messagePasserRoot }
  }

  #account(preimage: Uint8Array, account: Parameters<typeof encodeTrieAccount>[0]): Entry {
    const key = keccak256(preimage)
    this.#ours.put(bucketKey(BUCKETS.account, key), encodeFlatAccount(account))
    this.#ours.put(bucketKey(BUCKETS.preimage, key), preimage)
    return { key, preimage, value: encodeTrieAccount(account) }
  }

  async #storage(contract: GenesisAccount): Promise<Uint8Array> {
    const { count, address } = this.#accounts
    const addressHash = keccak256(hexToBytes(contract.address))
    const entries: Entry[] = []
    const add = (slot: Uint8Array, value: Uint8Array) => {
      const key = keccak256(slot)
      this.#ours.put(bucketKey(BUCKETS.slot, addressHash, key), trimSlotValue(value))
      this.#ours.put(bucketKey(BUCKETS.preimage, key), slot)
      entries.push({ key, preimage: slot, value: encodeTrieSlot(value) as Uint8Array })
    }
    for (const [slot, value] of contract.storage) add(slot, value)
    for (let i = 0; isToken(contract) && i < count; i++) {
      add(balanceSlot(address(i)), BENCH_TOKEN_BALANCE)
      if (++this.#waiting % OPS_PER_BATCH === 0) await this.#flush()
    }
    return this.#trie(entries, bucketKey(BUCKETS.storageNode, addressHash))
  }

  async #trie(entries: Entry[], prefix: Uint8Array): Promise<Uint8Array> {
    entries.sort((a, b) => Buffer.compare(a.key, b.key))
    const builder = createTrieBuilder((path, rlp) => {
      this.#ours.put(Buffer.concat([prefix, path]), rlp)
      this.#theirs.put(keccak256(rlp), rlp)
    })
    for (const { key, value } of entries) {
      builder.add(key, value)
      if (++this.#waiting % OPS_PER_BATCH === 0) await this.#flush()
    }
    const root = builder.finish()
    await this.#flush()
    return root
  }

  async #flush(): Promise<void> {
    await this.#ours.flush()
    await this.#theirs.flush()
  }
}

type Ops = (readonly [Uint8Array, Uint8Array])[]

function writerOf(write: (ops: Ops) => Promise<void>): Writer {
  let waiting: Ops = []
  return {
    put: (key, value) => waiting.push([key, value]),
    async flush() {
      const ops = waiting
      waiting = []
      await write(ops)
    },
  }
}

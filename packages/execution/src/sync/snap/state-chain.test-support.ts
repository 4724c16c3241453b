import {
  type AccountChange,
  type Address,
  bigintToBytes,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  encodeStateDiff,
  type GenesisAccount,
  type Hash,
  type Header,
  hexToBytes,
  keccak256,
  type Random,
  ZERO_HASH,
} from '@keelson/primitives'
import { computeGenesisState, createMemoryKeyValueStore, type KeyValueStore, openStateStore, type StateStore } from '@keelson/state'
import type { ServedChain } from '../../p2p/snap/served-states.ts'

/** Older states come from history. */
const KEPT_LAYERS = 32

export interface StateBlockHeader {
  readonly hash: Hash
  readonly number: number
  readonly stateRoot: Hash
}

/** States of blocks without transactions: each block changes the accounts that a test says. */
export interface StateChain {
  readonly store: KeyValueStore
  readonly state: StateStore
  readonly chain: ServedChain
  readonly head: StateBlockHeader
  at(number: number): StateBlockHeader
  extend(changes: readonly AccountChange[], codes?: readonly Uint8Array[]): Promise<StateBlockHeader>
}

export function addressOf(i: number): Address {
  return bytesToHex(keccak256(bigintToBytes(BigInt(i), 8)).subarray(12)) as Address
}

export function slotOf(i: number): Uint8Array {
  return bigintToBytes(BigInt(i), 32)
}

export function account(i: number, code = new Uint8Array(0), slots = 0): GenesisAccount {
  const storage = Array.from({ length: slots }, (_, n) => [slotOf(n), slotOf(n * 7 + i + 1)] as const)
  return { address: addressOf(i), nonce: 1n, balanceWei: BigInt(i) * 10n ** 15n, code, storage }
}

/** Changes the balance, and a slot when one is given. */
export function changeOf(i: number, balanceWei: bigint, slots: AccountChange['slots'] = []): AccountChange {
  return {
    address: hexToBytes(addressOf(i)),
    deleted: false,
    storageReset: false,
    nonce: 2n,
    balanceWei,
    codeHash: EMPTY_CODE_HASH_BYTES,
    slots,
  }
}

export async function createStateChain(alloc: Iterable<GenesisAccount>): Promise<StateChain> {
  const store = createMemoryKeyValueStore()
  const state = await openStateStore(store, { keepLayers: KEPT_LAYERS })
  const genesis = computeGenesisState(alloc)
  const blocks: StateBlockHeader[] = [{ hash: hashOf(0, genesis.stateRoot), number: 0, stateRoot: genesis.stateRoot }]
  await state.initGenesis(genesis, blocks[0] as StateBlockHeader)
  const headerOf = ({ number, stateRoot }: StateBlockHeader) =>
    ({ number, stateRoot, parentHash: blocks[number - 1]?.hash ?? ZERO_HASH }) as Header
  const newest = () => blocks.at(-1) as StateBlockHeader

  return {
    store,
    state,
    chain: {
      label: () => ({ hash: newest().hash, header: headerOf(newest()) }),
      header(hash) {
        const block = blocks.find((one) => one.hash === hash)
        return block === undefined ? null : headerOf(block)
      },
    },
    get head() {
      return newest()
    },
    at: (number) => blocks[number] as StateBlockHeader,
    async extend(changes, codes = []) {
      const parent = newest()
      const diff = encodeStateDiff({ accounts: changes, codes: codes.map((code) => [keccak256(code), code] as const) })
      const computed = state.rootOf(parent.hash, diff)
      const stateRoot = bytesToHex(computed.root) as Hash
      const block = { hash: hashOf(parent.number + 1, stateRoot), number: parent.number + 1, stateRoot }
      const staged = state.stageLayer({ ...block, parentHash: parent.hash, diff, computed })
      await store.batch(staged.ops)
      staged.publish()
      blocks.push(block)
      return block
    },
  }
}

/** Changes some of the first `accounts` accounts, and one of the first 64 slots of the first one. */
export function randomChanges(random: Random, accounts: number, count: number): AccountChange[] {
  const draw = (below: number) => new DataView(random.bytes(4).buffer).getUint32(0) % below
  const chosen = new Set(Array.from({ length: count }, () => 1 + draw(accounts - 1)))
  return [...chosen].map((i) => changeOf(i, BigInt(draw(2 ** 30))))
}

function hashOf(number: number, stateRoot: Hash): Hash {
  return bytesToHex(keccak256(new TextEncoder().encode(`${number} ${stateRoot}`))) as Hash
}

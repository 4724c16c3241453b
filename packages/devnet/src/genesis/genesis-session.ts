/** Runs constructors and initialisers on the engine. */
import type { BlockRules } from '@keelson/chainspec'
import type { BlockEnv, BlockSession, EvmEngine, Message, StateView } from '@keelson/evm'
import {
  type Address,
  bytesToHex,
  decodeStateDiff,
  EMPTY_CODE_HASH,
  type GenesisAccount,
  type Hash,
  hexToBytes,
  padLeft,
  toAddress,
  ZERO_ADDRESS,
} from '@keelson/primitives'
import { describeFailure } from './session-failure.ts'

export interface GenesisChain {
  readonly engine: EvmEngine
  readonly rules: BlockRules
  readonly chainId: bigint
  readonly timestampSec: number
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint
}

export interface PlacedAccount {
  readonly balanceWei?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  readonly storage?: Iterable<readonly [slot: bigint | Hash | Uint8Array, value: Hash | Uint8Array]>
}

export interface GenesisSession {
  place(address: Address, account: PlacedAccount): void
  /** Throws GenesisError `node/genesis-execution` with the revert reason. */
  call(from: Address, to: Address, data: Uint8Array, more?: { readonly gas?: bigint; readonly valueWei?: bigint }): Promise<Uint8Array>
  create(from: Address, initCode: Uint8Array, gas?: bigint): Promise<Address>
  code(address: Address): Uint8Array
  /** Omits accounts that have only a nonce, unless listed. */
  accounts(keepNonceOf?: readonly Address[]): readonly GenesisAccount[]
}

const ENOUGH_GAS = 30_000_000n
const EMPTY_VIEW: StateView = {
  account: () => null,
  storage: () => new Uint8Array(32),
  code: () => new Uint8Array(0),
}

export type OnMessage = (message: Message, gasUsed: bigint) => void

export function openGenesisSession(chain: GenesisChain, onMessage?: OnMessage): GenesisSession {
  const session = chain.engine.open(EMPTY_VIEW, blockEnv(chain), chain.rules, { unlimitedCodeSize: true })
  async function send(message: Message) {
    session.beginTx({ origin: message.from, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
    session.setNonce(message.from, session.nonce(message.from) + 1n)
    const result = session.call(message)
    session.endTx()
    if (result.status !== 'success') throw describeFailure(message, result)
    onMessage?.(message, message.gas - result.gasLeft)
    return result
  }
  return {
    place: (address, account) => placeAccount(session, hexToBytes(address), account),
    async call(from, to, data, { gas = ENOUGH_GAS, valueWei = 0n } = {}) {
      return (await send({ kind: 'call', from: hexToBytes(from), to: hexToBytes(to), valueWei, data, gas })).output
    },
    async create(from, initCode, gas = ENOUGH_GAS) {
      const { created } = await send({ kind: 'create', from: hexToBytes(from), to: null, valueWei: 0n, data: initCode, gas })
      return toAddress(created as Uint8Array)
    },
    code: (address) => session.code(hexToBytes(address)),
    accounts: (keepNonceOf = []) => genesisAccounts(session, new Set(keepNonceOf)),
  }
}

export async function runConstructor(chain: GenesisChain, initCode: Uint8Array): Promise<GenesisAccount> {
  const scratch = openGenesisSession(chain)
  const address = await scratch.create(ZERO_ADDRESS, initCode)
  return scratch.accounts().find((account) => account.address === address) as GenesisAccount
}

function blockEnv(chain: GenesisChain): BlockEnv {
  return {
    chainId: chain.chainId,
    number: 0n,
    timestampSec: BigInt(chain.timestampSec),
    gasLimit: chain.gasLimit,
    baseFeeWei: chain.baseFeeWei,
    feeRecipient: new Uint8Array(20),
    prevRandao: new Uint8Array(32),
    difficulty: 0n,
    blobBaseFeeWei: 1n,
    blockHash: () => null,
  }
}

function placeAccount(session: BlockSession, address: Uint8Array, account: PlacedAccount): void {
  if (account.code !== undefined) session.setCode(address, account.code)
  if (account.balanceWei !== undefined) session.setBalance(address, account.balanceWei)
  if (account.nonce !== undefined) session.setNonce(address, account.nonce)
  for (const [slot, value] of account.storage ?? []) session.setStorage(address, word(slot), word(value))
}

function word(value: bigint | Hash | Uint8Array): Uint8Array {
  if (value instanceof Uint8Array) return padLeft(value, 32)
  return hexToBytes(typeof value === 'bigint' ? `0x${value.toString(16).padStart(64, '0')}` : value)
}

function genesisAccounts(session: BlockSession, keepNonceOf: ReadonlySet<Address>): readonly GenesisAccount[] {
  const { accounts, codes } = decodeStateDiff(session.takeDiff())
  const codeByHash = new Map(codes.map(([hash, code]) => [bytesToHex(hash), code]))
  const found: GenesisAccount[] = []
  for (const change of accounts) {
    const address = toAddress(change.address)
    const codeHash = bytesToHex(change.codeHash)
    const bare = codeHash === EMPTY_CODE_HASH && change.balanceWei === 0n && change.slots.length === 0
    if (change.deleted || (bare && !keepNonceOf.has(address))) continue
    found.push({
      address,
      nonce: change.nonce,
      balanceWei: change.balanceWei,
      code: codeByHash.get(codeHash) ?? new Uint8Array(0),
      storage: change.slots,
    })
  }
  return found
}

/** Anvil's own methods set the state; one block has all transactions. */
import { gunzipSync } from 'node:zlib'
import { ETH_FORKS, type EthFork } from '@keelson/chainspec'
import { bytesToHex, EMPTY_CODE_HASH, hexToBytes, keccak256Hash } from '@keelson/primitives'
import { rulesOf } from '../chains.ts'
import { type CaseEnv, type CaseTransaction, codeBytes, type EvmCase, GAS_PRICE_WEI, SIGNERS, wordBytes } from '../evm-case.ts'
import { type Outcome, showAccount, type TransactionOutcome } from '../outcome.ts'
import { opcodeByte } from '../program/opcodes.ts'
import { signAuthorization } from '../signed-transaction.ts'
import { AnvilProcess } from './anvil-process.ts'
import type { CaseRunner, RunCaseOptions } from './case-runner.ts'
import { showLog } from './engine-runner.ts'

interface DumpedAccount {
  readonly nonce: number | string
  readonly balance: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}
interface MinedReceipt {
  readonly status: string
  readonly gasUsed: string
  readonly transactionIndex: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
}
interface MinedBlock {
  readonly number: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly baseFeePerGas?: string
  readonly miner: string
  readonly mixHash: string
  readonly difficulty: string
  readonly parentHash: string
}
interface StructLog {
  readonly depth: number
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly stack: readonly string[]
}

const SPELLED: Readonly<Partial<Record<EthFork, string>>> = { spurious: 'spuriousdragon' }
const MAX_PROCESSES = 4

const hex = (text: string) => `0x${BigInt(text).toString(16)}`

export class AnvilRunner implements CaseRunner {
  readonly name = 'anvil'
  readonly #processes = new Map<string, AnvilProcess>()
  readonly #genesis = new Map<string, ReadonlySet<string>>()

  /**
   * Anvil 1.7.1 uses later prices before London (SSTORE of an unchanged slot in Frontier: 2,900, not 5,000) and does not mine
   * set-code transactions of an impersonated sender.
   */
  runs({ chain, transactions }: EvmCase): boolean {
    const { chain: kind, ethFork } = rulesOf(chain)
    if (kind !== 'l1' || ETH_FORKS.indexOf(ethFork) < ETH_FORKS.indexOf('london')) return false
    return transactions.every(({ authorizations }) => authorizations === undefined)
  }

  async run(subject: EvmCase, { trace = false }: RunCaseOptions = {}): Promise<Outcome> {
    const anvil = await this.#process(subject.chain)
    const snapshot = await anvil.ask<string>('evm_snapshot')
    try {
      await setState(anvil, subject)
      const hashes = await submit(anvil, subject)
      await anvil.ask('evm_mine')
      const transactions = await Promise.all(hashes.map((hash, i) => readOutcome(anvil, hash, minedBefore(hashes, i), trace)))
      const genesis = this.#genesis.get(subject.chain) ?? new Set()
      return { transactions, hidesEmptyAccounts: true, state: await readState(anvil, genesis), env: await readEnv(anvil, subject) }
    } finally {
      await anvil.ask('evm_revert', snapshot)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((anvil) => anvil.close()))
  }

  async #process(chain: string): Promise<AnvilProcess> {
    const known = this.#processes.get(chain)
    if (known !== undefined) this.#processes.delete(chain)
    const { ethFork } = rulesOf(chain)
    const anvil = known ?? new AnvilProcess(['--hardfork', SPELLED[ethFork] ?? ethFork])
    this.#processes.set(chain, anvil)
    if (!this.#genesis.has(chain)) this.#genesis.set(chain, new Set(Object.keys(await dump(anvil))))
    const [[oldest, old] = []] = this.#processes
    if (this.#processes.size > MAX_PROCESSES && oldest !== undefined) {
      this.#processes.delete(oldest)
      await old?.close()
    }
    return anvil
  }
}

async function setState(anvil: AnvilProcess, { accounts, env }: EvmCase): Promise<void> {
  for (const { address, balance, nonce, code, storage } of accounts) {
    await anvil.ask('anvil_setBalance', address, hex(balance))
    if (nonce !== '0') await anvil.ask('anvil_setNonce', address, hex(nonce))
    const bytes = codeBytes(code)
    if (bytes.length > 0) await anvil.ask('anvil_setCode', address, bytesToHex(bytes))
    for (const [slot, value] of storage) {
      await anvil.ask('anvil_setStorageAt', address, hex(slot), bytesToHex(wordBytes(value)))
    }
  }
  await anvil.ask('anvil_setCoinbase', env.feeRecipient)
  await anvil.ask('anvil_setNextBlockBaseFeePerGas', hex(env.baseFee)).catch(() => null)
}

/** Null for what anvil rejects. */
async function submit(anvil: AnvilProcess, { transactions, accounts }: EvmCase): Promise<(string | null)[]> {
  const nonces = new Map(accounts.map(({ address, nonce }) => [address, BigInt(nonce)]))
  const hashes: (string | null)[] = []
  for (const each of transactions) {
    const from = bytesToHex((SIGNERS[each.sender] as (typeof SIGNERS)[number]).address)
    const nonce = nonces.get(from) ?? 0n
    const hash = await anvil.ask<string>('eth_sendTransaction', request(each, from, nonce)).catch((error: Error) => {
      if (!/gas|funds|nonce/i.test(error.message)) throw error
      return null
    })
    if (hash !== null) nonces.set(from, nonce + 1n)
    hashes.push(hash)
  }
  return hashes
}

function request({ to, value, data, gas, accessList, authorizations }: CaseTransaction, from: string, nonce: bigint) {
  const price = hex(String(GAS_PRICE_WEI))
  const list = (accessList ?? []).map(({ address, slots }) => ({ address, storageKeys: slots.map((slot) => bytesToHex(wordBytes(slot))) }))
  const base = {
    from,
    nonce: hex(String(nonce)),
    value: hex(value),
    data: bytesToHex(codeBytes(data)),
    gas: hex(gas),
    ...(to === null ? {} : { to }),
  }
  if (authorizations !== undefined) {
    const authorizationList = authorizations.map(signAuthorization).map(({ chainId, address, nonce: bumped, yParity, r, s }) => ({
      chainId: hex(String(chainId)),
      address: bytesToHex(address),
      nonce: hex(String(bumped)),
      yParity: hex(String(yParity)),
      r: hex(String(r)),
      s: hex(String(s)),
    }))
    return { ...base, type: '0x4', maxFeePerGas: price, maxPriorityFeePerGas: price, accessList: list, authorizationList }
  }
  return accessList === undefined ? { ...base, gasPrice: price } : { ...base, type: '0x1', gasPrice: price, accessList: list }
}

function minedBefore(hashes: readonly (string | null)[], index: number): number {
  return hashes.slice(0, index).filter((hash) => hash !== null).length
}

async function readOutcome(anvil: AnvilProcess, hash: string | null, index: number, trace: boolean): Promise<TransactionOutcome> {
  if (hash === null) return { status: 'rejected', gasUsed: '0', logs: [] }
  const receipt = await anvil.ask<MinedReceipt | null>('eth_getTransactionReceipt', hash)
  if (receipt === null || Number(receipt.transactionIndex) !== index)
    throw new Error(`anvil mined ${hash} elsewhere than as transaction ${index}`)
  return {
    status: BigInt(receipt.status) === 1n ? 'success' : 'failed',
    gasUsed: String(BigInt(receipt.gasUsed)),
    logs: receipt.logs.map(({ address, topics, data }) => showLog({ address, topics, data: hexToBytes(data) })),
    ...(trace ? { trace: await readTrace(anvil, hash) } : {}),
  }
}

async function readTrace(anvil: AnvilProcess, hash: string): Promise<string[]> {
  const { structLogs } = await anvil.ask<{ structLogs: readonly StructLog[] }>('debug_traceTransaction', hash, { disableStorage: true })
  return structLogs.map(({ depth, pc, op, gas, stack }) => {
    const top = stack.at(-1)
    return `${depth - 1} ${pc} 0x${opcodeByte(op).toString(16)} ${gas} ${top === undefined ? '-' : BigInt(top).toString(16)}`
  })
}

async function dump(anvil: AnvilProcess): Promise<Readonly<Record<string, DumpedAccount>>> {
  const packed = hexToBytes(await anvil.ask<string>('anvil_dumpState'))
  return JSON.parse(gunzipSync(packed).toString()).accounts
}

/** Omits anvil's own genesis accounts. */
async function readState(anvil: AnvilProcess, genesis: ReadonlySet<string>): Promise<Map<string, string>> {
  const state = new Map<string, string>()
  for (const [address, { nonce, balance, code, storage }] of Object.entries(await dump(anvil))) {
    if (genesis.has(address)) continue
    const codeHash = code === '0x' ? EMPTY_CODE_HASH : keccak256Hash(hexToBytes(code))
    const slots = new Map(Object.entries(storage).map(([slot, value]) => [bytesToHex(wordBytes(slot)), bytesToHex(wordBytes(value))]))
    state.set(address, showAccount({ nonce: BigInt(nonce), balanceWei: BigInt(balance), codeHash, slots }))
  }
  return state
}

/** Values that anvil chose itself. */
async function readEnv(anvil: AnvilProcess, { env }: EvmCase): Promise<CaseEnv> {
  const block = await anvil.ask<MinedBlock>('eth_getBlockByNumber', 'latest', false)
  const number = BigInt(block.number)
  return {
    number: String(number),
    timestamp: String(BigInt(block.timestamp)),
    gasLimit: String(BigInt(block.gasLimit)),
    baseFee: String(BigInt(block.baseFeePerGas ?? '0x0')),
    feeRecipient: block.miner.toLowerCase(),
    prevRandao: block.mixHash,
    difficulty: String(BigInt(block.difficulty)),
    blockHashes: { ...env.blockHashes, [String(number - 1n)]: block.parentHash },
  }
}

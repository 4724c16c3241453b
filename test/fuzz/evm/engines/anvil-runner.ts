/** Anvil's own methods set the state; one block has all transactions. */
import { gunzipSync } from 'node:zlib'
import { ETH_FORKS, type EthFork } from '@keelson/chainspec'
import { bytesToHex, EMPTY_CODE_HASH, hexToBytes, keccak256Hash } from '@keelson/primitives'
import { rulesOf } from '../chains.ts'
import { type CaseEnv, type CaseTransaction, codeBytes, type EvmCase, GAS_PRICE_WEI, SIGNERS, wordBytes } from '../evm-case.ts'
import { type Outcome, showAccount, type TransactionOutcome } from '../outcome.ts'
import { opcodeByte } from '../program/opcodes.ts'
import { signTransaction } from '../signed-transaction.ts'
import { StepLog } from '../steps.ts'
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
  readonly gasCost: number
  readonly refund?: number
  readonly stack: readonly string[]
}

const SPELLED: Readonly<Partial<Record<EthFork, string>>> = { spurious: 'spuriousdragon' }
const MAX_PROCESSES = 12
/** Anvil sends the whole stack of every step. */
const MAX_TRACED_GAS = 150_000n

const addressOf = (signer: number) => bytesToHex((SIGNERS[signer] as (typeof SIGNERS)[number]).address)
const hex = (text: string) => `0x${BigInt(text).toString(16)}`

export class AnvilRunner implements CaseRunner {
  readonly name = 'anvil'
  readonly #processes = new Map<string, AnvilProcess>()
  readonly #genesis = new Map<string, ReadonlySet<string>>()

  /**
   * Anvil 1.7.1 uses later prices before London (SSTORE of an unchanged slot in Frontier: 2,900, not 5,000) and refunds
   * authorizations of absent accounts (EIP-7702). Its pool does not expect an authorization to change a sender's nonce.
   */
  runs({ chain, accounts, transactions }: EvmCase): boolean {
    const { chain: kind, ethFork } = rulesOf(chain)
    if (kind !== 'l1' || ETH_FORKS.indexOf(ethFork) < ETH_FORKS.indexOf('london')) return false
    const senders = transactions.map(({ sender }) => sender)
    const suits = (signer: number) => !senders.includes(signer) && accounts.some(({ address }) => address === addressOf(signer))
    return transactions.every(({ authorizations = [] }) => authorizations.every(({ signer }) => suits(signer)))
  }

  async run(subject: EvmCase, { trace = false }: RunCaseOptions = {}): Promise<Outcome> {
    const anvil = await this.#process(subject.chain, trace)
    const refused = new Set<number>()
    for (;;) {
      const snapshot = await anvil.ask<string>('evm_snapshot')
      try {
        await setState(anvil, subject)
        const hashes = await submit(anvil, subject, refused)
        await anvil.ask('evm_mine')
        const unmined = await firstUnmined(anvil, hashes)
        if (unmined === null) return await this.#outcome(anvil, subject, hashes, trace)
        refused.add(unmined)
        await anvil.ask('anvil_dropAllTransactions')
      } finally {
        await anvil.ask('evm_revert', snapshot)
      }
    }
  }

  async #outcome(anvil: AnvilProcess, subject: EvmCase, hashes: readonly (string | null)[], trace: boolean): Promise<Outcome> {
    const transactions = await Promise.all(hashes.map((hash, i) => readOutcome(anvil, hash, minedBefore(hashes, i), trace)))
    const genesis = this.#genesis.get(subject.chain) ?? new Set()
    // A dump holds all recorded steps.
    const state = trace ? null : await readState(anvil, genesis)
    return { transactions, hidesEmptyAccounts: true, state, env: await readEnv(anvil, subject) }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((anvil) => anvil.close()))
  }

  async #process(chain: string, trace: boolean): Promise<AnvilProcess> {
    const key = `${chain} ${trace}`
    const known = this.#processes.get(key)
    if (known !== undefined) this.#processes.delete(key)
    const { ethFork } = rulesOf(chain)
    const anvil = known ?? new AnvilProcess(['--hardfork', SPELLED[ethFork] ?? ethFork, ...(trace ? ['--steps-tracing'] : [])])
    this.#processes.set(key, anvil)
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
async function submit(anvil: AnvilProcess, { transactions, accounts }: EvmCase, refused: ReadonlySet<number>): Promise<(string | null)[]> {
  const nonces = new Map(accounts.map(({ address, nonce }) => [address, BigInt(nonce)]))
  const hashes: (string | null)[] = []
  for (const [i, each] of transactions.entries()) {
    const from = addressOf(each.sender)
    const nonce = nonces.get(from) ?? 0n
    const hash = refused.has(i) ? null : await submitOne(anvil, each, from, nonce).catch(nullForRejection)
    if (hash !== null) nonces.set(from, nonce + 1n)
    hashes.push(hash)
  }
  return hashes
}

function nullForRejection(error: Error): null {
  if (!/gas|funds|nonce/i.test(error.message)) throw error
  return null
}

/** The pool takes set-code transactions whose gas is too low, and mining leaves them out. */
async function firstUnmined(anvil: AnvilProcess, hashes: readonly (string | null)[]): Promise<number | null> {
  for (const [i, hash] of hashes.entries()) {
    if (hash !== null && (await anvil.ask('eth_getTransactionReceipt', hash)) === null) return i
  }
  return null
}

/** Anvil does not mine set-code transactions of impersonated senders. */
function submitOne(anvil: AnvilProcess, each: CaseTransaction, from: string, nonce: bigint): Promise<string> {
  if (each.authorizations !== undefined) return anvil.ask('eth_sendRawTransaction', bytesToHex(signTransaction(each, nonce).raw))
  return anvil.ask('eth_sendTransaction', request(each, from, nonce))
}

function request({ to, value, data, gas, accessList }: CaseTransaction, from: string, nonce: bigint) {
  const base = {
    from,
    nonce: hex(String(nonce)),
    value: hex(value),
    data: bytesToHex(codeBytes(data)),
    gas: hex(gas),
    gasPrice: hex(String(GAS_PRICE_WEI)),
    ...(to === null ? {} : { to }),
  }
  if (accessList === undefined) return base
  const list = accessList.map(({ address, slots }) => ({ address, storageKeys: slots.map((slot) => bytesToHex(wordBytes(slot))) }))
  return { ...base, type: '0x1', accessList: list }
}

function minedBefore(hashes: readonly (string | null)[], index: number): number {
  return hashes.slice(0, index).filter((hash) => hash !== null).length
}

async function readOutcome(anvil: AnvilProcess, hash: string | null, index: number, trace: boolean): Promise<TransactionOutcome> {
  if (hash === null) return { status: 'rejected', gasUsed: '0', logs: [] }
  const receipt = await anvil.ask<MinedReceipt>('eth_getTransactionReceipt', hash)
  if (Number(receipt.transactionIndex) !== index) throw new Error(`anvil mined ${hash} elsewhere than as transaction ${index}`)
  const gasUsed = BigInt(receipt.gasUsed)
  return {
    status: BigInt(receipt.status) === 1n ? 'success' : 'failed',
    gasUsed: String(gasUsed),
    logs: receipt.logs.map(({ address, topics, data }) => showLog({ address, topics, data: hexToBytes(data) })),
    ...(trace && gasUsed <= MAX_TRACED_GAS ? { trace: await readTrace(anvil, hash) } : {}),
  }
}

async function readTrace(anvil: AnvilProcess, hash: string): Promise<string[]> {
  const { structLogs } = await anvil.ask<{ structLogs: readonly StructLog[] }>('debug_traceTransaction', hash, { disableStorage: true })
  const log = new StepLog()
  for (const { depth, pc, op, gas, gasCost, refund, stack } of structLogs) {
    log.add({
      depth: depth - 1,
      pc,
      opcode: opcodeByte(op),
      gasLeft: BigInt(gas),
      // Anvil counts the gas of a creation's frame as its cost, and refunds by frame.
      gasCost: op.startsWith('CREATE') ? null : BigInt(gasCost),
      gasRefund: refund === undefined || depth > 1 ? null : BigInt(refund),
      stack: stack.map(BigInt),
      memory: null,
    })
  }
  return log.take()
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

/** Users send transactions at a steady rate, and remember which were accepted. */
import type { RpcClient } from '@keelson/client'
import { DEV_ACCOUNTS } from '@keelson/devnet/genesis'
import { type Address, bytesToHex, encodeSignedTransaction, type Hash, hexToBytes, signingDigest, TX_FEE_MARKET } from '@keelson/primitives'
import type { Host } from './host.ts'
import { openSequencerRpc } from './sequencer-clients.ts'
import { drawCall, type UserCall } from './user-calls.ts'

const GWEI = 10n ** 9n
const REQUEST_TIMEOUT_MS = 5_000

interface User {
  readonly address: Address
  readonly key: Uint8Array
  /** Null if it must be asked for. */
  nonce: bigint | null
  busy: boolean
}

export class Users {
  /** Accepted transactions, with the time of acceptance. */
  readonly accepted = new Map<Hash, number>()
  refused = 0
  readonly #host: Host
  readonly #rpc: RpcClient
  readonly #chainId: bigint
  readonly #users: readonly User[]
  #stopped = false

  constructor(host: Host, sequencers: readonly string[], chainId: bigint) {
    this.#host = host
    this.#rpc = openSequencerRpc(host, sequencers, REQUEST_TIMEOUT_MS)
    this.#chainId = chainId
    this.#users = DEV_ACCOUNTS.map(({ address, privateKey }) => ({ address, key: hexToBytes(privateKey), nonce: null, busy: false }))
  }

  static get addresses(): readonly Address[] {
    return DEV_ACCOUNTS.map(({ address }) => address)
  }

  start(perSec: number): void {
    const { process } = this.#host
    const again = () => {
      if (this.#stopped) return
      void this.#sendOne()
      process.after(1_000 / perSec, 'user', again)
    }
    process.after(0, 'user', again)
  }

  stop(): void {
    this.#stopped = true
  }

  async #sendOne(): Promise<void> {
    const { random, clock } = this.#host.process
    const idle = this.#users.filter((user) => !user.busy)
    const user = idle[Math.floor(random.next() * idle.length)]
    const receiver = this.#users[Math.floor(random.next() * this.#users.length)] as User
    if (user === undefined) return
    const call = drawCall(random, user.address, receiver.address)
    user.busy = true
    try {
      user.nonce ??= BigInt((await this.#rpc.call('eth_getTransactionCount', [user.address, 'pending'])) as string)
      const tx = this.#sign(user, user.nonce, call)
      await this.#rpc.call('eth_sendRawTransaction', [bytesToHex(tx.raw)], { retry: false })
      this.accepted.set(tx.hash, clock.nowMs())
      user.nonce++
    } catch {
      // It may have been accepted although no answer came.
      this.refused++
      user.nonce = null
    } finally {
      user.busy = false
    }
  }

  #sign(user: User, nonce: bigint, { to, valueWei, data, gasLimit }: UserCall) {
    const { crypto } = this.#host.world
    const fields = {
      type: TX_FEE_MARKET,
      chainId: this.#chainId,
      nonce,
      gasLimit,
      to: hexToBytes(to),
      valueWei,
      data,
      accessList: [],
      maxFeePerGasWei: 100n * GWEI,
      maxPriorityFeePerGasWei: GWEI,
    } as const
    return encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), user.key))
  }
}

/** Sends transactions that a node must refuse or may forget: malformed, too cheap, huge, without funds, of another chain, or with gaps. */
import type { RpcClient } from '@keelson/client'
import { DEV_ACCOUNTS } from '@keelson/devnet/genesis'
import { bytesToHex, encodeSignedTransaction, hexToBytes, signingDigest, TX_FEE_MARKET } from '@keelson/primitives'
import type { SimProcess } from '../core/sim-process.ts'
import { type Host, PORTS, urlOf } from './host.ts'

interface Fields {
  readonly nonce: bigint
  readonly maxFeePerGasWei: bigint
  readonly chainId: bigint
  readonly data: Uint8Array
  readonly key: Uint8Array
}

type Junk = (funded: Uint8Array, process: SimProcess) => Partial<Fields> | string

const GWEI = 10n ** 9n
const HUGE_BYTES = 160 * 1024
const MAX_MALFORMED_BYTES = 300
const REQUEST_TIMEOUT_MS = 5_000
/** Honest users never reach it. */
const FAR_NONCE = 1_000_000
const FAR_NONCES = 10_000

const farNonce = ({ random }: SimProcess) => BigInt(FAR_NONCE + Math.floor(random.next() * FAR_NONCES))

const JUNK: readonly Junk[] = [
  (_, { random }) => bytesToHex(random.bytes(Math.floor(random.next() * MAX_MALFORMED_BYTES))),
  () => '0x02zz',
  (key) => ({ key, maxFeePerGasWei: 1n }),
  (key, process) => ({ key, data: process.random.bytes(HUGE_BYTES) }),
  (key, process) => ({ key, nonce: farNonce(process) }),
  (key, process) => ({ key, nonce: farNonce(process) }),
  (key) => ({ key, chainId: 1n }),
  (_, { random }) => ({ key: random.bytes(32) }),
]

/** Its process on the machine of the users. */
export const JUNK_ROLE = 'junk'

export class JunkSender {
  sent = 0
  readonly #open: () => Host
  readonly #sequencers: readonly string[]
  readonly #chainId: bigint
  #process: SimProcess | null = null

  constructor(open: () => Host, sequencers: readonly string[], chainId: bigint) {
    this.#open = open
    this.#sequencers = sequencers
    this.#chainId = chainId
  }

  /** Attacks one of the sequencers. */
  start(perSec: number): void {
    this.stop()
    const host = this.#open()
    const { process } = host
    const { length } = this.#sequencers
    const victim = length === 1 ? 0 : Math.floor(process.random.next() * length)
    const rpc = host.rpc(urlOf(this.#sequencers[victim] as string, PORTS.execution), REQUEST_TIMEOUT_MS)
    const again = () => {
      void this.#send(rpc, host)
      process.after(1_000 / perSec, 'junk', again)
    }
    this.#process = process
    process.after(0, 'junk', again)
  }

  stop(): void {
    this.#process?.kill()
    this.#process = null
  }

  async #send(rpc: RpcClient, host: Host): Promise<void> {
    const { random } = host.process
    const { privateKey } = DEV_ACCOUNTS[Math.floor(random.next() * DEV_ACCOUNTS.length)] as (typeof DEV_ACCOUNTS)[number]
    const junk = (JUNK[Math.floor(random.next() * JUNK.length)] as Junk)(hexToBytes(privateKey), host.process)
    const raw = typeof junk === 'string' ? junk : this.#sign(junk, host)
    this.sent++
    // Nobody minds whether the node refuses it.
    await rpc.call('eth_sendRawTransaction', [raw], { retry: false }).catch(() => undefined)
  }

  #sign({ key = new Uint8Array(32), ...given }: Partial<Fields>, { world: { crypto } }: Host): string {
    const fields = {
      type: TX_FEE_MARKET,
      chainId: this.#chainId,
      nonce: 0n,
      gasLimit: 10_000_000n,
      to: new Uint8Array(20),
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxFeePerGasWei: 100n * GWEI,
      ...given,
      maxPriorityFeePerGasWei: given.maxFeePerGasWei ?? GWEI,
    } as const
    return bytesToHex(encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), key)).raw)
  }
}

import { type Clock, CodecError, type Hash, type Logger, type RlpInput } from '@keelson/primitives'
import { DeadlineError, withDeadline } from '@keelson/runtime'
import type { ForkFilter } from '../../fork-id/fork-filter.ts'
import { P2pError } from '../p2p-error.ts'
import { rawItems } from '../raw-list.ts'
import { decodeIdentified } from '../requests/identified.ts'
import { RequestTracker } from '../requests/request-tracker.ts'
import { Responder } from '../requests/responder.ts'
import type { Serving } from '../requests/serving.ts'
import type { RlpxSession } from '../rlpx/session.ts'
import type { BlockServer, ResponseItems } from './block-server.ts'
import { collectItems } from './collect-items.ts'
import { collectReceipts } from './collect-receipts.ts'
import { downloadReceipts } from './download-receipts.ts'
import {
  decodeHashes,
  decodeHeadersQuery,
  ETH,
  ETH_CODES,
  type EthVersion,
  encodeResponse,
  type HeadersQuery,
  hashesToRlp,
  headersQueryToRlp,
} from './eth-messages.ts'
import {
  decodeReceiptsPage,
  decodeReceiptsQuery,
  encodeReceiptsPage,
  hasPartialReceipts,
  type ReceiptsPage,
  type ReceiptsQuery,
  receiptsQueryToRlp,
} from './receipts-messages.ts'
import {
  type BlockRange,
  decodeBlockRange,
  decodeStatus,
  encodeBlockRange,
  encodeStatus,
  judgeStatus,
  type LocalStatus,
  type RemoteStatus,
} from './status.ts'

const STATUS_MS = 5_000
const MAX_WAITING_REQUESTS = 64

/** What a peer's transactions are given to, and its requests for them. */
export interface TransactionExchange {
  /** Called once, when the peer's status is accepted. */
  agreed(): void
  /** Throws CodecError or P2pError for a message that breaks the protocol. */
  receive(code: number, payload: Uint8Array): void
}

export interface EthPeerDependencies {
  readonly clock: Clock
  status(): LocalStatus
  readonly forkFilter: ForkFilter
  readonly server: BlockServer
  readonly serving: Serving
  readonly log: Logger
  transactions(peer: EthPeer): TransactionExchange
}

/** The eth protocol with one peer. */
export class EthPeer {
  readonly session: RlpxSession
  readonly version: EthVersion
  readonly requests: RequestTracker
  readonly #responder: Responder
  readonly #deps: EthPeerDependencies
  #status: RemoteStatus | null = null
  readonly #transactions: TransactionExchange
  #resolveStatus: (status: RemoteStatus) => void = () => undefined
  #rejectStatus: (error: unknown) => void = () => undefined
  readonly #gotStatus = new Promise<RemoteStatus>((resolve, reject) => {
    this.#resolveStatus = resolve
    this.#rejectStatus = reject
  })

  /** The session must share eth. Its messages are read from now on. */
  constructor(session: RlpxSession, deps: EthPeerDependencies) {
    this.session = session
    this.#deps = deps
    this.version = session.capabilities.find(({ name }) => name === ETH)?.version as EthVersion
    const send = (code: number, payload: Uint8Array) => session.send(ETH, code, payload)
    this.requests = new RequestTracker(send)
    this.#responder = new Responder({ ...deps, maxWaiting: MAX_WAITING_REQUESTS, send })
    this.#transactions = deps.transactions(this)
    this.#gotStatus.catch(() => undefined)
    void session.closed.then(({ reason, by }) => {
      const error = new P2pError('p2p/closed', `the session has ended: ${reason}`, { reason, by })
      this.#rejectStatus(error)
      this.requests.close(error)
      this.#responder.stop()
    })
    session.onMessage(ETH, (code, payload) => this.#receive(code, payload))
  }

  /** Sends our status and waits for the peer's. Throws P2pError and ends the session when they do not agree. */
  async exchangeStatus(): Promise<RemoteStatus> {
    const { clock } = this.#deps
    try {
      const exchange = async () => {
        await this.session.send(ETH, ETH_CODES.status, encodeStatus(this.version, this.#deps.status()))
        return this.#gotStatus
      }
      return await withDeadline(exchange, { clock, ms: STATUS_MS, what: 'the exchange of status' })
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
      void this.session.disconnect('timeout', error.message)
      throw new P2pError('p2p/timeout', error.message, {}, { cause: error })
    }
  }

  /** Null before the exchange. */
  get status(): RemoteStatus | null {
    return this.#status
  }

  send(code: number, payload: Uint8Array): Promise<void> {
    return this.session.send(ETH, code, payload)
  }

  async announceRange(range: BlockRange): Promise<void> {
    if (this.version >= 69) await this.send(ETH_CODES.blockRangeUpdate, encodeBlockRange(range))
  }

  headers(query: HeadersQuery, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const { getBlockHeaders, blockHeaders } = ETH_CODES
    return this.#items(getBlockHeaders, blockHeaders, headersQueryToRlp(query), Number(query.amount), signal)
  }

  bodies(hashes: readonly Hash[], signal: AbortSignal): Promise<readonly Uint8Array[]> {
    return this.#items(ETH_CODES.getBlockBodies, ETH_CODES.blockBodies, hashesToRlp(hashes), hashes.length, signal)
  }

  /** Each item is the list of a block's receipts as in the trie of receipts. */
  receipts(hashes: readonly Hash[], signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const { version, requests } = this
    const ask = async (query: ReceiptsQuery): Promise<ReceiptsPage> => {
      const fields = receiptsQueryToRlp(version, query)
      const received = await requests.request(ETH_CODES.getReceipts, ETH_CODES.receipts, fields, signal)
      return decodeReceiptsPage(version, received, query.hashes.length)
    }
    return this.#readable('receipts', () => downloadReceipts(version, hashes, ask))
  }

  async #items(code: number, responseCode: number, query: RlpInput, max: number, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const [list] = await this.requests.request(code, responseCode, [query], signal)
    return this.#readable(`response ${responseCode}`, async () => rawItems(list, max, 'response'))
  }

  /** A response that cannot be read ends the session. */
  async #readable<T>(what: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (error instanceof CodecError) void this.session.disconnect('protocolBreach', `unreadable ${what}: ${error.message}`)
      throw error
    }
  }

  #receive(code: number, payload: Uint8Array): void {
    if (this.#status === null) this.#receiveStatus(code, payload)
    else if (code === ETH_CODES.getBlockHeaders || code === ETH_CODES.getBlockBodies || code === ETH_CODES.getReceipts)
      this.#serve(code, payload)
    else if (
      code === ETH_CODES.blockHeaders ||
      code === ETH_CODES.blockBodies ||
      code === ETH_CODES.receipts ||
      code === ETH_CODES.pooledTransactions
    )
      this.requests.receive(code, payload)
    else if (code === ETH_CODES.blockRangeUpdate) this.#status = { ...this.#status, ...headOf(decodeBlockRange(payload)) }
    else if (code === ETH_CODES.transactions || code === ETH_CODES.newPooledTransactionHashes || code === ETH_CODES.getPooledTransactions)
      this.#transactions.receive(code, payload)
    else throw new P2pError('p2p/message', `message ${code} of eth/${this.version} is not allowed after the merge`)
  }

  #receiveStatus(code: number, payload: Uint8Array): void {
    if (code !== ETH_CODES.status) throw new P2pError('p2p/message', `message ${code} before status`)
    const status = decodeStatus(this.version, payload)
    const refusal = judgeStatus(status, this.#deps.status(), this.#deps.forkFilter)
    if (refusal === null) {
      this.#status = status
      this.#transactions.agreed()
      this.#resolveStatus(status)
    } else {
      this.#rejectStatus(new P2pError('p2p/disconnected', refusal, { by: 'local' }))
      void this.session.disconnect('uselessPeer', refusal)
    }
  }

  /** Throws P2pError when too many requests wait. */
  answer(responseCode: number, id: bigint, items: ResponseItems): void {
    this.#responder.answer(responseCode, async (time) => encodeResponse(id, await collectItems(items, time)))
  }

  #serve(code: number, payload: Uint8Array): void {
    const { server } = this.#deps
    const { id, fields } = decodeIdentified(payload)
    if (code === ETH_CODES.getReceipts) this.#serveReceipts(id, decodeReceiptsQuery(this.version, fields))
    else if (code === ETH_CODES.getBlockHeaders) this.answer(ETH_CODES.blockHeaders, id, server.headers(decodeHeadersQuery(fields[0])))
    else this.answer(ETH_CODES.blockBodies, id, server.bodies(decodeHashes(fields[0])))
  }

  #serveReceipts(id: bigint, query: ReceiptsQuery): void {
    const { version } = this
    this.#responder.answer(ETH_CODES.receipts, async (time) => {
      const blocks = this.#deps.server.receipts(version, query)
      return encodeReceiptsPage(version, id, await collectReceipts(blocks, hasPartialReceipts(version), time))
    })
  }
}

function headOf(range: BlockRange): Pick<RemoteStatus, 'head' | 'range'> {
  return { head: range.latestHash, range }
}

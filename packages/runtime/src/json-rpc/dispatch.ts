/** JSON-RPC 2.0, sections 4 to 6 */
import { type RpcCaller, unlimitedCaller } from './access/rpc-access.ts'
import { type AnswererOptions, createAnswerer, type RpcLimits } from './answerer.ts'
import { invalidRequest, refusedAnswer, renderError } from './call-text.ts'
import { chargeBody, MAX_DEPTH, MAX_STRANGER_STRUCTURE, STRUCTURE_PER_TOKEN, TEXT_PER_TOKEN } from './charge-body.ts'
import type { JsonShape } from './json-shape.ts'
import { type Id, type ParsedRequest, parseRequest } from './request-ids.ts'
import { RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'
import type { RpcContext } from './rpc-method.ts'

export function maxBodyBytes(limits: RpcLimits, caller: RpcCaller | undefined): number {
  return caller?.known === false ? Math.min(limits.maxBodyBytes, limits.maxStrangerBodyBytes) : limits.maxBodyBytes
}

/** Another thread that has methods of its own. */
export interface RemoteMethods {
  has(method: string): boolean
  /** Whether the other thread must answer this call, of a method of this or that thread. */
  takes(method: string, params: unknown): boolean
  /** Answers a whole request; null when it has only notifications. */
  answer(body: string, context: RpcContext): Promise<string | null>
}

export interface DispatcherOptions extends AnswererOptions {
  /** A request with one call that it takes goes there as a whole, so that the order of calls holds. */
  readonly remote?: RemoteMethods
  /** Metric label of a method; must have few values. Default: the namespace. */
  readonly methodClass?: (method: string) => string
  /** Price in tokens, at least 1. */
  readonly methodPrice?: (method: string) => number
}

/** `text` is null when the request has only notifications. */
export interface RpcAnswer {
  readonly text: string | null
  readonly waitMs: number | null
}

export interface Dispatcher {
  /** Takes a token before the body is read; null admits the caller. */
  admit(caller: RpcCaller): RpcAnswer | null
  /**
   * The price is the sum of the calls' prices, at least one token per 64 KiB and per 5,000 brackets, commas and colons. Each 64
   * KiB of the response costs a token on credit.
   */
  dispatch(body: string, context: RpcContext, caller?: RpcCaller, prepaid?: number): Promise<RpcAnswer>
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { limits, remote } = options
  const answer = createAnswerer(options)
  const requests = options.metrics?.counter('rpc_requests_total', 'Accepted calls, by tier of the caller and class of method', [
    'tier',
    'class',
  ])
  const refusals = options.metrics?.counter('rpc_refused_total', 'Calls rejected by the rate limit, by tier and class', ['tier', 'class'])
  const isKnown = (method: unknown): method is string =>
    typeof method === 'string' && (Object.hasOwn(options.methods, method) || remote?.has(method) === true)
  const classOf = (value: unknown): string => {
    const { method } = (value ?? {}) as { readonly method?: unknown }
    // Unknown names would create any number of metric labels.
    if (!isKnown(method)) return 'unknown'
    return options.methodClass?.(method) ?? (method.split('_')[0] as string)
  }

  const refuseUnread = ({ tier }: RpcCaller, waitMs: number): RpcAnswer => {
    refusals?.inc(1, { tier, class: 'unread' })
    return { text: renderError('null', rateLimited(waitMs)), waitMs }
  }

  const dispatch: Dispatcher['dispatch'] = async (body, context, caller = UNLIMITED, prepaid = 0) => {
    const charged = chargeBody(body, caller, prepaid)
    if (!charged.ok) return refuseUnread(caller, charged.waitMs)
    const unparsed = refuseShape(body, charged.shape, caller.burst, limits.maxBatchCalls)
    const parsed = unparsed === null ? readRequest(body) : null
    const items = itemsOf(parsed)
    const price = items.reduce<number>((sum, item) => sum + priceOfCall(item), 0)
    const refusal = unparsed ?? refuseWhole(parsed, price, caller.burst)
    const waitMs = caller.take(Math.max(0, (refusal === null ? price : 1) - charged.paid))
    const counter = waitMs > 0 ? refusals : requests
    for (const item of items) counter?.inc(1, { tier: caller.tier, class: classOf(item) })
    if (waitMs > 0) {
      return {
        text: refusal === null && parsed !== null ? renderRefusal(parsed, rateLimited(waitMs)) : renderError('null', rateLimited(waitMs)),
        waitMs,
      }
    }
    if (refusal !== null || parsed === null) return { text: refusal, waitMs: null }
    const own: RpcContext = caller === UNLIMITED ? context : { ...context, caller }
    const text = remote !== undefined && items.some(isRemote) ? await remote.answer(body, own) : await answer(parsed, own)
    const answerPrice = Math.floor((text?.length ?? 0) / TEXT_PER_TOKEN)
    if (answerPrice > 0) caller.charge(answerPrice)
    return { text, waitMs: null }
  }

  function isRemote(item: unknown): boolean {
    const { method, params } = (item ?? {}) as { readonly method?: unknown; readonly params?: unknown }
    return typeof method === 'string' && remote?.takes(method, params) === true
  }

  function priceOfCall(item: unknown): number {
    const { method } = (item ?? {}) as { readonly method?: unknown }
    return options.methodPrice !== undefined && isKnown(method) ? options.methodPrice(method) : 1
  }

  return {
    admit(caller) {
      const waitMs = caller.take(1)
      return waitMs > 0 ? refuseUnread(caller, waitMs) : null
    },
    dispatch,
  }
}

function refuseShape(body: string, shape: JsonShape, burst: number, maxBatchCalls: number): string | null {
  if (shape.exceeded === 'depth')
    return renderError('null', parseError(`: lists and objects are nested deeper than the limit of ${MAX_DEPTH}; send flatter parameters`))
  if (shape.exceeded === 'structure') {
    const most = MAX_STRANGER_STRUCTURE
    return renderError(
      'null',
      invalidRequest(`the body holds more than ${most} brackets, commas and colons; split it into smaller requests`),
    )
  }
  if (shape.items === 0) return renderError('null', invalidRequest('an empty batch'))
  const most = Math.min(maxBatchCalls, burst)
  if (shape.items === null || shape.items <= most) return null
  const error = invalidBatch(`batch too large: ${shape.items} calls; at most ${most} are answered at once`)
  // Libraries expect a batch's error in a list, with the first call's id.
  return `[${renderError(firstIdOf(body, shape) ?? 'null', error)}]`
}

/** Returns null to accept the body. */
function refuseWhole(parsed: ParsedRequest | null, price: number, burst: number): string | null {
  if (parsed === null) return renderError('null', parseError())
  if (price <= burst) return null
  const error = invalidBatch(`the calls cost ${price} tokens, more than the burst of ${burst}; send fewer calls`)
  const answer = renderError(parsed.ids[0] ?? 'null', error)
  return Array.isArray(parsed.value) ? `[${answer}]` : answer
}

const UNLIMITED = unlimitedCaller('unlimited', 'unlimited')

function parseError(detail = ''): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.parse, `Parse error${detail}`)
}

function invalidBatch(message: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.invalidRequest, message)
}

function rateLimited(waitMs: number): RpcError {
  const waitSec = Math.ceil(waitMs / 1000)
  return new RpcError(RPC_ERROR_NUMBERS.rateLimited, `Rate limited: too many requests; back off and try again in ${waitSec} s`)
}

function renderRefusal({ value, ids }: ParsedRequest, error: RpcError): string | null {
  if (!Array.isArray(value)) return renderError(ids[0] ?? 'null', error)
  const answers = value.map((item, i) => refusedAnswer(item, ids[i], error)).filter((answer) => answer !== null)
  return answers.length === 0 ? null : `[${answers.join(',')}]`
}

function firstIdOf(body: string, shape: JsonShape): Id {
  const isSmall = shape.structure <= STRUCTURE_PER_TOKEN && body.length <= TEXT_PER_TOKEN
  if (!isSmall) return readRequest(body.slice(body.indexOf('[') + 1, shape.firstItemEnd))?.ids[0]
  return readRequest(body)?.ids.find((id) => id !== undefined)
}

function itemsOf(parsed: ParsedRequest | null): readonly unknown[] {
  const value = parsed?.value
  return Array.isArray(value) ? value : [value]
}

function readRequest(text: string): ParsedRequest | null {
  try {
    return parseRequest(text)
  } catch {
    return null
  }
}

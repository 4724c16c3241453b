/** Calls between two threads, in both directions. */
import type { MessagePort, Transferable, Worker } from 'node:worker_threads'
import { RpcError, RuntimeError, type RuntimeErrorCode, toRpcError } from '@keelson/runtime'

type Port = Pick<MessagePort | Worker, 'postMessage' | 'on'>
// biome-ignore lint/suspicious/noExplicitAny: each side names the parameters of its own methods.
type Method = (argument: any, signal: AbortSignal) => unknown
type Methods<M> = { readonly [K in keyof M]: Method }
type Argument<F> = F extends (argument: infer A, ...rest: never[]) => unknown ? A : never
type Result<F> = F extends (...given: never[]) => infer R ? Awaited<R> : never

type CrossingError =
  | { readonly kind: 'rpc'; readonly number: number; readonly message: string; readonly data: unknown; readonly inner: string | null }
  | { readonly kind: 'runtime'; readonly code: RuntimeErrorCode; readonly message: string; readonly details: RuntimeError['details'] }

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argument: unknown }
  /** Expects no result. */
  | { readonly kind: 'tell'; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: CrossingError }

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** `Own` are served to the other thread, `Other` are called there. */
export class ThreadPeer<Own extends Methods<Own>, Other extends Methods<Other>> {
  readonly #port: Port
  readonly #own: Own
  readonly #waiting = new Map<number, Waiting>()
  readonly #running = new Map<number, AbortController>()
  #nextId = 0
  #lost: Error | null = null

  constructor(port: Port, own: Own) {
    this.#port = port
    this.#own = own
    port.on('message', (message: Message) => this.#receive(message))
  }

  /** Rejects with the RpcError or RuntimeError of the other side, or with the signal's reason. */
  call<K extends keyof Other & string>(name: K, argument: Argument<Other[K]>, signal?: AbortSignal): Promise<Result<Other[K]>> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) return reject(this.#lost)
      if (signal?.aborted) return reject(signal.reason)
      const cancel = () => {
        this.#send({ kind: 'cancel', id })
        end(() => reject(signal?.reason))
      }
      const end = (settle: () => void) => {
        this.#waiting.delete(id)
        signal?.removeEventListener('abort', cancel)
        settle()
      }
      this.#waiting.set(id, {
        resolve: (value) => end(() => resolve(value as Result<Other[K]>)),
        reject: (error) => end(() => reject(error)),
      })
      signal?.addEventListener('abort', cancel, { once: true })
      this.#send({ kind: 'call', id, name, argument })
    })
  }

  tell<K extends keyof Other & string>(name: K, argument: Argument<Other[K]>, transfer: readonly Transferable[] = []): void {
    this.#send({ kind: 'tell', name, argument }, transfer)
  }

  /** The other thread has ended. */
  lose(error: Error): void {
    this.#lost = error
    for (const { reject } of [...this.#waiting.values()]) reject(error)
    for (const running of this.#running.values()) running.abort(error)
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message.id, message.name, message.argument)
        return
      case 'tell':
        void this.#own[message.name as keyof Own](message.argument, NEVER)
        return
      case 'cancel':
        this.#running.get(message.id)?.abort(new DOMException('the caller has gone', 'AbortError'))
        return
      case 'result':
        this.#waiting.get(message.id)?.resolve(message.value)
        return
      case 'error':
        this.#waiting.get(message.id)?.reject(fromCrossing(message.error))
    }
  }

  async #answer(id: number, name: string, argument: unknown): Promise<void> {
    const caller = new AbortController()
    this.#running.set(id, caller)
    try {
      this.#send({ kind: 'result', id, value: await this.#own[name as keyof Own](argument, caller.signal) })
    } catch (error) {
      this.#send({ kind: 'error', id, error: toCrossing(error) })
    } finally {
      this.#running.delete(id)
    }
  }

  #send(message: Message, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer)
  }
}

const NEVER = new AbortController().signal

function toCrossing(error: unknown): CrossingError {
  if (error instanceof RuntimeError) return { kind: 'runtime', code: error.code, message: error.message, details: error.details }
  const { number, message, data, cause } = toRpcError(error)
  const inner = cause === undefined ? null : String(cause instanceof Error ? cause.stack : cause)
  return { kind: 'rpc', number, message, data, inner }
}

function fromCrossing(error: CrossingError): Error {
  if (error.kind === 'runtime') return new RuntimeError(error.code, error.message, error.details)
  return new RpcError(error.number, error.message, error.data, error.inner === null ? {} : { cause: error.inner })
}

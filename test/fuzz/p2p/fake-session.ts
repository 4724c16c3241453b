/** A session whose messages the test delivers, and which counts what is sent. */
import type { MessageHandler, RlpxSession, SessionEnd } from '../../../packages/execution/src/p2p/rlpx/session.ts'
import { isRefusal } from './coded.ts'

export class FakeSession implements RlpxSession {
  readonly remote = { id: new Uint8Array(64).fill(7), client: 'fuzz', host: '192.0.2.1', port: 30_303, inbound: true, listenPort: 0 }
  readonly capabilities: RlpxSession['capabilities']
  readonly closed: Promise<SessionEnd>
  sentBytes = 0
  #handler: MessageHandler = () => undefined
  #end: (end: SessionEnd) => void = () => undefined
  #ended = false

  constructor(name: string, version: number) {
    this.capabilities = [{ name, version }]
    this.closed = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async send(_capability: string, _code: number, payload: Uint8Array): Promise<void> {
    this.sentBytes += payload.length
  }

  onMessage(_capability: string, handler: MessageHandler): void {
    this.#handler = handler
  }

  async disconnect(reason: SessionEnd['reason'], detail = ''): Promise<void> {
    this.#ended = true
    this.#end({ reason, by: 'local', detail })
  }

  /** As a session does: an error that a peer may cause ends it. */
  deliver(code: number, payload: Uint8Array): void {
    if (this.#ended) return
    try {
      this.#handler(code, payload)
    } catch (error) {
      if (!isRefusal(error)) throw error
      void this.disconnect('protocolBreach')
    }
  }
}

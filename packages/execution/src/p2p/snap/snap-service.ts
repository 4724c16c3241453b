/** snap/1 on one session: answers the peer's requests, and sends ours. */
import type { Clock, Logger } from '@keelson/primitives'
import { CodecError } from '@keelson/primitives'
import { createTokenBucket, createTurnTaker } from '@keelson/runtime'
import { createExclusive, type Exclusive } from '../../exclusive.ts'
import type { PeerFault } from '../../sync/ports.ts'
import type { SnapPeer } from '../../sync/snap/ports.ts'
import type { RlpxSession } from '../rlpx/session.ts'
import { SNAP_CAPABILITY, SNAP_CODES } from './codes.ts'
import { createOpenRequests } from './open-requests.ts'
import { decodeRequest, type SnapRequest } from './requests.ts'
import { decodeResponse, encodeResponse, type SnapResponse } from './responses.ts'
import { serveAccountRange, serveByteCodes, serveStorageRanges, serveTrieNodes } from './serve.ts'
import type { ServedStates } from './served-states.ts'

/** go-ethereum has five requests open with a peer at most. */
const MAX_WAITING_REQUESTS = 16
/** Bytes of responses; each request costs at least the second figure. */
const BUDGET = { perSec: 8 * 2 ** 20, burst: 32 * 2 ** 20 }
const REQUEST_COST = 4_096

export interface SnapServiceDependencies {
  readonly states: ServedStates
  readonly clock: Clock
  readonly log: Logger
}

export interface SnapService {
  /** Call it before reading from the session begins. */
  attach(session: RlpxSession, peer: { readonly id: string; penalize(fault: PeerFault): void }): SnapPeer
}

export function createSnapService({ states, clock, log }: SnapServiceDependencies): SnapService {
  // Requests of all peers share one place on the thread.
  const serving: Exclusive = createExclusive()

  return {
    attach(session, { id, penalize }) {
      const send = (code: number, payload: Uint8Array) => session.send(SNAP_CAPABILITY.name, code, payload)
      const budget = createTokenBucket(BUDGET, clock)
      const ended = new AbortController()
      const requests = createOpenRequests(send)
      let waiting = 0
      void session.closed.then(() => {
        ended.abort()
        requests.close()
      })

      const respond = async (request: SnapRequest): Promise<void> => {
        const payload = encodeResponse(await serving.run(() => serve(states, request)))
        await budget.take(REQUEST_COST + payload.length, ended.signal)
        await send(request.code + 1, payload)
      }
      session.onMessage(SNAP_CAPABILITY.name, (code, payload) => {
        const response = decodeResponse(code, payload)
        if (response !== null) {
          requests.settle(response)
          return
        }
        const request = decodeRequest(code, payload)
        if (request === null) throw new CodecError('codec/rlp', `snap/1 has no message ${code}`)
        if (waiting === MAX_WAITING_REQUESTS) throw new CodecError('codec/rlp', `more than ${MAX_WAITING_REQUESTS} open requests`)
        waiting++
        respond(request)
          .catch((error: unknown) => {
            if (!ended.signal.aborted) log.warn('a state request of a peer failed', { peer: id, code, error })
          })
          .finally(() => {
            waiting--
          })
      })
      return { id, penalize, ...requests.methods }
    },
  }
}

async function serve(states: ServedStates, { code, id, request }: SnapRequest): Promise<SnapResponse> {
  const turn = createTurnTaker()
  switch (code) {
    case SNAP_CODES.getAccountRange:
      return { code: SNAP_CODES.accountRange, id, response: await serveAccountRange(states, request, turn) }
    case SNAP_CODES.getStorageRanges:
      return { code: SNAP_CODES.storageRanges, id, response: await serveStorageRanges(states, request, turn) }
    case SNAP_CODES.getByteCodes:
      return { code: SNAP_CODES.byteCodes, id, response: await serveByteCodes(states, request, turn) }
    case SNAP_CODES.getTrieNodes:
      return { code: SNAP_CODES.trieNodes, id, response: await serveTrieNodes(states, request, turn) }
  }
}

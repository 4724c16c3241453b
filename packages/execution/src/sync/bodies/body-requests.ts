import { createTurnTaker } from '@keelson/runtime'
import type { ChainRules } from '../../chain-rules.ts'
import type { Judgement, PeerRequest } from '../peers/peer-pool.ts'
import type { RawHeader } from '../skeleton/raw-header.ts'
import { type FetchedBlock, readBody, transactionsRootOf } from './fetched-block.ts'

/** The response holds the bodies of the first headers, at least one. */
export function bodiesOf(
  headers: readonly RawHeader[],
  rules: Pick<ChainRules, 'rulesAt'>,
): PeerRequest<readonly Uint8Array[], readonly FetchedBlock[]> {
  return {
    kind: 'bodies',
    send: (peer, signal) =>
      peer.bodies(
        headers.map(({ hash }) => hash),
        signal,
      ),
    judge: (response) => judgeBodies(response, headers, rules),
  }
}

async function judgeBodies(
  response: readonly Uint8Array[],
  headers: readonly RawHeader[],
  rules: Pick<ChainRules, 'rulesAt'>,
): Promise<Judgement<readonly FetchedBlock[]>> {
  if (response.length > headers.length) return { kind: 'invalid', reason: `${response.length} bodies for ${headers.length} blocks` }
  const turn = createTurnTaker()
  const blocks: FetchedBlock[] = []
  for (const [i, raw] of response.entries()) {
    const block = readBody(raw, headers[i] as RawHeader, rules)
    if (block === null) {
      // A peer leaves out blocks that it does not have.
      const root = transactionsRootOf(raw)
      if (headers.slice(i + 1).some(({ header }) => header.transactionsRoot === root)) break
      return { kind: 'invalid', reason: `a body that belongs to none of the blocks asked for, from ${headers[0]?.header.number} on` }
    }
    blocks.push(block)
    await turn()
  }
  if (blocks.length === 0) return { kind: 'useless', reason: `no body of block ${headers[0]?.header.number}` }
  return { kind: 'good', value: blocks, items: blocks.length }
}

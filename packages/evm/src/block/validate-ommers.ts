/** Yellow paper 11.1 */
import type { BlockRules } from '@keelson/chainspec'
import { type Hash, type Header, hashHeader } from '@keelson/primitives'
import { type HeaderProblem, headerProblem, validateHeader } from './validate-header.ts'

export interface OmmerAncestor {
  readonly hash: Hash
  readonly header: Header
  readonly ommerHashes: readonly Hash[]
}

export const OMMER_GENERATIONS = 7
const MOST_OMMERS = 2

export function validateOmmers(
  header: Header,
  ommers: readonly Header[],
  ancestors: readonly OmmerAncestor[],
  rulesAt: (header: Header) => BlockRules,
): HeaderProblem | null {
  const recent = ancestors.slice(0, OMMER_GENERATIONS)
  const taken = new Set<Hash>([hashHeader(header), ...recent.flatMap(({ hash, ommerHashes }) => [hash, ...ommerHashes])])
  if (ommers.length > MOST_OMMERS) return headerProblem(header, 'ommers', `at most ${MOST_OMMERS}`, ommers.length)
  for (const ommer of ommers) {
    const hash = hashHeader(ommer)
    if (taken.has(hash)) return headerProblem(header, 'ommers', 'headers that are no ancestors and named once', hash)
    taken.add(hash)
    const parent = recent.find((ancestor) => ancestor.hash === ommer.parentHash)
    if (parent === undefined || parent === recent[0])
      return headerProblem(header, 'ommers', `children of the ${OMMER_GENERATIONS - 1} blocks before the parent`, hash)
    const problem = validateHeader(ommer, parent.header, rulesAt(ommer))
    if (problem !== null)
      return { reason: 'ommers', ommerReason: problem.reason, message: `block ${header.number}: ommer ${hash}: ${problem.message}` }
  }
  return null
}

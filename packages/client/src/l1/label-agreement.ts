/**
 * L1's safe or finalized block that more than half of the sources in service agree on, so one lying source of three or more can
 * neither raise nor hold back a label.
 */
import type { Hash, L1BlockRef, Logger } from '@keelson/primitives'
import type { L1Source } from './l1-source.ts'
import type { L1Sources } from './l1-sources.ts'

export type AgreedLabel = 'safe' | 'finalized'

/** Returns the highest block that a majority of sources has at or below its own labelled block. */
export type LabelAgreement = (label: AgreedLabel) => Promise<L1BlockRef | null>

interface Shown {
  readonly source: L1Source
  readonly block: L1BlockRef
}

export function createLabelAgreement(sources: L1Sources, log: Logger): LabelAgreement {
  const agreed = new Map<AgreedLabel, Hash>()
  let disagreement: string | null = null

  async function shares({ source, block }: Shown, at: L1BlockRef): Promise<boolean | null> {
    if (block.number === at.number) return block.hash === at.hash
    const there = await source.client.blockRef(at.number).catch(() => null)
    return there === null ? null : there.hash === at.hash
  }

  function sayDisagreement(label: AgreedLabel, shown: readonly Shown[]): void {
    const text = shown.map(({ source, block }) => `${source.host}: ${block.number} (${block.hash})`).join(', ')
    if (disagreement === text) return
    disagreement = text
    log.warn(`the L1 URLs disagree about the ${label} block, so none counts`, { shown: text, remedy: 'find out which of them is wrong' })
  }

  return async (label) => {
    const first = await sources.ask(async (source) => ({ source, block: await source.client.blockRef(label) }))
    if (sources.all.length === 1 || (first.block !== null && first.block.hash === agreed.get(label))) return first.block
    const others = await sources.askOthers(first.source, ({ client }) => client.blockRef(label))
    const shown = [[first.source, first.block] as const, ...others]
      .flatMap(([source, block]): Shown[] => (block === null ? [] : [{ source, block }]))
      .sort((a, b) => b.block.number - a.block.number)
    const quorum = Math.floor((1 + others.length) / 2) + 1
    for (const { block } of shown.slice(quorum - 1)) {
      const verdicts = await Promise.all(
        shown
          .filter((other) => other.block.number >= block.number)
          .map(async (other) => ({ ...other, shares: await shares(other, block) })),
      )
      if (verdicts.filter((verdict) => verdict.shares === true).length < quorum) continue
      for (const { source, shares: agrees } of verdicts)
        if (agrees === false)
          sources.suspend(source, 'wrong-answer', `it has another block at ${block.number} than most, which is ${label}`)
      agreed.set(label, block.hash)
      disagreement = null
      return block
    }
    if (shown.length >= quorum) sayDisagreement(label, shown)
    return null
  }
}

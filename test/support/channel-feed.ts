/** Notation of frames: "a0" is frame 0 of channel a, "a1!" closes it, "a0*300" has 300 bytes. */

import type { Frame } from '../../packages/derivation/src/codec/channel/frame.ts'
import type { ChannelStage } from '../../packages/derivation/src/pipeline/channel-bank.ts'
import { ORIGIN_EXHAUSTED, type Stage } from '../../packages/derivation/src/pipeline/stage.ts'
import { createTestContext, l1Block, type TestContext } from './stage-context.ts'

export function frame(text: string): Frame {
  const [name, bytes] = text.replace('!', '').split('*') as [string, string | undefined]
  const data = new TextEncoder().encode(name)
  const padded = new Uint8Array(bytes === undefined ? data.length : Number(bytes))
  padded.set(data.subarray(0, padded.length))
  return {
    channelId: `0x${(name[0] as string).repeat(32)}` as Frame['channelId'],
    number: Number.parseInt(name.slice(1), 10),
    data: padded,
    isLast: text.includes('!'),
  }
}

export interface ChannelFeed {
  readonly context: TestContext
  readonly stage: ChannelStage
  at(block: number, frames: string): Promise<string[]>
}

export type FeedRules = Parameters<typeof createTestContext>[0]

export function feedChannels(create: (context: TestContext, frames: Stage<Frame>) => ChannelStage, rules: FeedRules): ChannelFeed {
  const context = createTestContext(rules)
  let waiting: Frame[] = []
  const source: Stage<Frame> = {
    async pull() {
      const item = waiting.shift()
      return item === undefined ? ORIGIN_EXHAUSTED : { kind: 'item', item }
    },
  }
  const stage = create(context, source)
  return {
    context,
    stage,
    async at(block, frames) {
      context.origin = l1Block(block)
      waiting = frames.split(' ').filter(Boolean).map(frame)
      const out: string[] = []
      for (;;) {
        const pulled = await stage.pull()
        if (pulled.kind === 'item') out.push(new TextDecoder().decode(pulled.item.filter((byte) => byte !== 0)))
        if (pulled.kind === 'origin-exhausted') return out
      }
    },
  }
}

export type FeedCase = readonly [
  title: string,
  feed: Readonly<Record<number, string>>,
  read: string,
  reasons: readonly string[],
  rules?: FeedRules,
]

export async function runFeed(feed: ChannelFeed, blocks: FeedCase[1]): Promise<{ read: string; reasons: readonly string[] }> {
  const read: string[] = []
  for (const [block, frames] of Object.entries(blocks)) read.push(...(await feed.at(Number(block), frames)))
  return { read: read.join(' '), reasons: feed.context.reasons }
}

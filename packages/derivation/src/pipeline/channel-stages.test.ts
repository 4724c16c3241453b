import assert from 'node:assert/strict'
import { createTestContext, l1Block, type TestContext } from '../../../../test/support/stage-context.ts'
import type { Frame } from '../codec/frame.ts'
import { createChannelAssembler } from './channel-assembler.ts'
import { type ChannelStage, createChannelBank } from './channel-bank.ts'
import { ORIGIN_EXHAUSTED, type Stage } from './stage.ts'

const channel = (letter: string) => `0x${letter.repeat(32)}` as Frame['channelId']

/** "a0" is frame 0 of channel a with its own name as data, "a1!" closes the channel; a number is the L1 block it comes in. */
function frame(text: string): Frame {
  const id = text[0] as string
  return {
    channelId: channel(id),
    number: Number.parseInt(text.slice(1), 10),
    data: new TextEncoder().encode(text.replace('!', '')),
    isLast: text.endsWith('!'),
  }
}

interface Feed {
  readonly context: TestContext
  /** Channels read while L1 stands at this block and these frames come in. */
  at(block: number, frames: string): Promise<string[]>
  readonly stage: ChannelStage
}

function feed(create: (context: TestContext, frames: Stage<Frame>) => ChannelStage, rules: Parameters<typeof createTestContext>[0]): Feed {
  const context = createTestContext({ channelTimeoutL1Blocks: 10, ...rules })
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
        if (pulled.kind === 'item') out.push(new TextDecoder().decode(pulled.item))
        if (pulled.kind === 'origin-exhausted') return out
      }
    },
  }
}

describe('channel bank', () => {
  const bank = (rules: Parameters<typeof createTestContext>[0] = {}) => feed(createChannelBank, { readsFirstReadyChannel: true, ...rules })

  it('joins frames in the order of their numbers, however they come', async () => {
    const { at, context } = bank()
    assert.deepEqual(await at(1, 'a2! b0 a0 a1'), ['a0a1a2'])
    assert.deepEqual(await at(2, 'b1!'), ['b0b1'])
    assert.deepEqual(context.reasons, [])
  })

  it('reads the first channel that is ready', async () => {
    assert.deepEqual(await bank().at(1, 'a0 b0! c0!'), ['b0', 'c0'])
  })

  it('before Canyon lets an unfinished channel hold up those after it', async () => {
    const { at } = bank({ readsFirstReadyChannel: false })
    assert.deepEqual(await at(1, 'a0 b0!'), [])
    assert.deepEqual(await at(2, 'a1!'), ['a0a1', 'b0'])
  })

  it('drops repeated frames, second closes, and frames past the end', async () => {
    const { at, context } = bank()
    assert.deepEqual(await at(1, 'a0 a0 a2! a3 a3! a2'), [])
    assert.deepEqual(context.reasons, ['frame-duplicate', 'frame-past-end', 'frame-second-close', 'frame-duplicate'])
    assert.deepEqual(await at(1, 'a1'), ['a0a1a2'])
  })

  it('forgets frames past a close that comes late', async () => {
    assert.deepEqual(await bank().at(1, 'a0 a2 a3 a1!'), ['a0a1'])
  })

  it('keeps a channel for as many L1 blocks as the timeout, counted from the first frame', async () => {
    const { at, context } = bank()
    await at(1, 'a0')
    assert.deepEqual(await at(11, 'a1!'), ['a0a1'])
    await at(21, 'b0')
    assert.deepEqual(await at(32, 'b1!'), [])
    assert.deepEqual(context.reasons, ['channel-timed-out'])
  })

  it('may use the id of a dropped channel anew', async () => {
    const { at } = bank()
    await at(1, 'a0')
    assert.deepEqual(await at(12, 'a0!'), ['a0'])
  })

  it('drops the oldest channels when it holds too much, each frame counted with 200 bytes', async () => {
    const { at, context } = bank({ maxChannelBankBytes: 404 })
    assert.deepEqual(await at(1, 'a0 b0 c0'), [])
    assert.deepEqual(context.reasons, ['channel-pruned'])
    assert.deepEqual(await at(1, 'c1!'), ['c0c1'])
    assert.deepEqual(context.reasons, ['channel-pruned', 'channel-pruned'])
  })

  it('drops everything when other rules come into force', async () => {
    const { at, context, stage } = bank()
    await at(1, 'a0 b0')
    stage.discard()
    assert.deepEqual(context.reasons, ['fork-activated', 'fork-activated'])
    assert.deepEqual(await at(2, 'a1!'), [])
  })
})

describe('channel assembler', () => {
  const assembler = (rules: Parameters<typeof createTestContext>[0] = {}) => feed(createChannelAssembler, rules)

  it('reads channels whose frames come in order, over L1 blocks', async () => {
    const { at, context } = assembler()
    assert.deepEqual(await at(1, 'a0 a1'), [])
    assert.deepEqual(await at(2, 'a2! b0!'), ['a0a1a2', 'b0'])
    assert.deepEqual(context.reasons, [])
  })

  it('drops frames without a channel, out of order, or of another channel', async () => {
    const { at, context } = assembler()
    assert.deepEqual(await at(1, 'a1 a0 a2 b1 a1!'), ['a0a1'])
    assert.deepEqual(context.reasons, ['frame-without-channel', 'frame-out-of-order', 'frame-out-of-order'])
  })

  it('gives up an open channel for a new one, also one of the same id', async () => {
    const { at, context } = assembler()
    assert.deepEqual(await at(1, 'a0 a1 b0 a2!'), [])
    assert.deepEqual(await at(1, 'b1!'), ['b0b1'])
    assert.deepEqual(await at(2, 'c0 c1'), [])
    assert.deepEqual(await at(3, 'c0!'), ['c0'])
    assert.deepEqual(context.reasons, ['channel-replaced', 'frame-out-of-order', 'channel-replaced'])
  })

  it('drops a channel that timed out, and its later frames', async () => {
    const { at, context } = assembler()
    await at(1, 'a0')
    assert.deepEqual(await at(12, 'a1!'), [])
    assert.deepEqual(context.reasons, ['channel-timed-out', 'frame-without-channel'])
  })

  it('drops a channel that grows too large', async () => {
    const { at, context } = assembler({ maxRlpBytesPerChannel: 404 })
    assert.deepEqual(await at(1, 'a0 a1!'), ['a0a1'])
    assert.deepEqual(await at(1, 'b0 b1 b2!'), [])
    assert.deepEqual(context.reasons, ['channel-too-large'])
  })
})

import assert from 'node:assert/strict'
import { type FeedCase, type FeedRules, feedChannels, runFeed } from '../../../../test/support/channel-feed.ts'
import { createChannelAssembler } from './channel-assembler.ts'

const assembler = (rules: FeedRules = {}) => feedChannels(createChannelAssembler, { channelTimeoutL1Blocks: 10, ...rules })

/** Columns: title, frames by L1 block, channels read, drop reasons. The timeout is 10 L1 blocks. */
const SECTIONS: Readonly<Record<string, readonly FeedCase[]>> = {
  'holocene/derivation.md#reading--frame-loading': [
    ['a channel in order', { 1: 'a0 a1 a2!' }, 'a0a1a2', []],
    ['a channel of one frame', { 1: 'a0!' }, 'a0', []],
    ['over L1 blocks', { 1: 'a0 a1', 2: 'a2! b0!' }, 'a0a1a2 b0', []],
    ['a channel is read before the next frames are', { 1: 'a0! b0! c0 c1!' }, 'a0 b0 c0c1', []],
    ['no channel is open', { 1: 'a1 a2!' }, '', ['frame-without-channel', 'frame-without-channel']],
    ['a frame after the close finds none open', { 1: 'a0! a1' }, 'a0', ['frame-without-channel']],
    ['one number too low', { 1: 'a0 a1 a1 a2!' }, 'a0a1a2', ['frame-out-of-order']],
    ['one number too high', { 1: 'a0 a2 a1!' }, 'a0a1', ['frame-out-of-order']],
    ['a close that is out of order closes nothing', { 1: 'a0 a2! a1!' }, 'a0a1', ['frame-out-of-order']],
    ['another channel, not its first frame', { 1: 'a0 b1 a1!' }, 'a0a1', ['frame-out-of-order']],
    ['a first frame replaces the open channel', { 1: 'a0 a1 b0 a2!', 2: 'b1!' }, 'b0b1', ['channel-replaced', 'frame-out-of-order']],
    ['also one of the same id', { 1: 'a0 a1', 2: 'a0!' }, 'a0', ['channel-replaced']],
    ['frame 0 opens a channel even after frame 65535 of its id', { 1: 'a65535 a0 a1!' }, 'a0a1', ['frame-without-channel']],
    ['an id that was read may come again', { 1: 'a0!', 2: 'a0!' }, 'a0 a0', []],
  ],
  'holocene/derivation.md#timeout': [
    ['one block before', { 1: 'a0', 10: 'a1!' }, 'a0a1', []],
    ['at the timeout', { 1: 'a0', 11: 'a1!' }, 'a0a1', []],
    [
      'one block after it, with the frames that follow',
      { 1: 'a0', 12: 'a1 a2!' },
      '',
      ['channel-timed-out', 'frame-without-channel', 'frame-without-channel'],
    ],
    ['a first frame in time of its own', { 1: 'a0', 12: 'a0!' }, 'a0', ['channel-timed-out']],
    ['it is dropped when time is up, frames or none', { 1: 'a0', 12: '' }, '', ['channel-timed-out']],
  ],
  // a frame counts its data plus 200 bytes; the limit is 1000 bytes
  'holocene/derivation.md#pruning': (
    [
      ['one byte below the limit', { 1: 'a0*300 a1!*299' }, 'a0a1', []],
      ['at the limit', { 1: 'a0*300 a1!*300' }, 'a0a1', []],
      ['one byte above it, although it closes', { 1: 'a0*300 a1!*301' }, '', ['channel-too-large']],
      ['and the frames that follow', { 1: 'a0*801 a1!' }, '', ['channel-too-large', 'frame-without-channel']],
      ['the next channel has all the room', { 1: 'a0*801 b0!*800' }, 'b0', ['channel-too-large']],
      ['a replaced channel takes no room', { 1: 'a0*700 b0*300 b1!*300' }, 'b0b1', ['channel-replaced']],
    ] satisfies FeedCase[]
  ).map(([title, feed, read, reasons]) => [title, feed, read, reasons, { maxRlpBytesPerChannel: 1000 }]),
}

describe('channel assembler', () => {
  for (const [section, cases] of Object.entries(SECTIONS)) {
    describe(section, () => {
      for (const [title, blocks, read, reasons, rules] of cases) {
        it(title, async () => {
          assert.deepEqual(await runFeed(assembler(rules), blocks), { read, reasons })
        })
      }
    })
  }
})

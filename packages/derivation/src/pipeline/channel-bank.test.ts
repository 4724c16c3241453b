import assert from 'node:assert/strict'
import { type FeedCase, type FeedRules, feedChannels, runFeed } from '../../../../test/support/channel-feed.ts'
import { createChannelBank } from './channel-bank.ts'

const bank = (rules: FeedRules = {}) =>
  feedChannels(createChannelBank, { readsFirstReadyChannel: true, channelTimeoutL1Blocks: 10, ...rules })

/**
 * Columns: title, frames by L1 block, channels read, drop reasons. The timeout is 10 L1 blocks; the fork is Canyon by default.
 */
const SECTIONS: Readonly<Record<string, readonly FeedCase[]>> = {
  'derivation.md#loading-frames': [
    ['frames of one channel in order', { 1: 'a0 a1 a2!' }, 'a0a1a2', []],
    ['frames in any order', { 1: 'a2! a0 a1' }, 'a0a1a2', []],
    ['one closing frame is a channel', { 1: 'a0!' }, 'a0', []],
    ['over L1 blocks', { 1: 'a0', 2: 'a2!', 3: 'a1' }, 'a0a1a2', []],
    ['two channels, frames mixed', { 1: 'a0 b1! a1! b0' }, 'a0a1 b0b1', []],
    ['a frame again is dropped, the first one counts', { 1: 'a0*3 a0*4 a1!' }, 'a0a1', ['frame-duplicate']],
    ['a second close is dropped', { 1: 'a0 a2! a3! a1' }, 'a0a1a2', ['frame-second-close']],
    ['a second close below the first is dropped', { 1: 'a2! a1! a0 a1' }, 'a0a1a2', ['frame-second-close']],
    ['a frame one below the close is taken', { 1: 'a2! a0 a1' }, 'a0a1a2', []],
    ['a frame at the close is dropped', { 1: 'a1! a1 a0' }, 'a0a1', ['frame-duplicate']],
    ['a frame one above the close is dropped', { 1: 'a1! a2 a0' }, 'a0a1', ['frame-past-end']],
    ['frames above a close that comes late are dropped', { 1: 'a0 a2 a3 a1!' }, 'a0a1', ['frame-past-end', 'frame-past-end']],
    ['the id of a channel that was read opens a new one', { 1: 'a0! a0!', 2: 'a0!' }, 'a0 a0 a0', []],
    ['the id of a channel that was dropped opens a new one', { 1: 'a0', 12: 'a0!' }, 'a0', ['channel-timed-out']],
  ],
  'derivation.md#timeouts': [
    ['one block before the timeout', { 1: 'a0', 10: 'a1!' }, 'a0a1', []],
    ['at the timeout', { 1: 'a0', 11: 'a1!' }, 'a0a1', []],
    ['one block after it', { 1: 'a0', 12: 'a1!' }, '', ['channel-timed-out']],
    ['counts from the first frame seen, not from frame 0', { 1: 'a1', 5: 'a0', 12: 'a2!' }, '', ['channel-timed-out']],
    ['a late frame opens a new channel with the same id', { 1: 'a0', 12: 'a1', 13: 'a0 a2!' }, 'a0a1a2', ['channel-timed-out']],
    ['each channel by itself', { 1: 'a0', 2: 'b0', 12: 'a1! b1!' }, 'b0b1', ['channel-timed-out']],
  ],
  'derivation.md#reading, from Canyon on': [
    ['the first ready channel, past one that is not', { 1: 'a0 b0! c0!' }, 'b0 c0', []],
    ['in order of opening', { 1: 'a0 b0 c0 c1! b1! a1!' }, 'c0c1 b0b1 a0a1', []],
  ],
  'derivation.md#reading, before Canyon': (
    [
      ['an unfinished first channel holds up the others', { 1: 'a0 b0!', 2: 'c0!' }, '', []],
      ['until it is ready', { 1: 'a0 b0!', 2: 'a1!' }, 'a0a1 b0', []],
      ['at its timeout it still does', { 1: 'a0', 2: 'b0!', 11: '' }, '', []],
      ['one block later it is gone', { 1: 'a0', 2: 'b0!', 12: '' }, 'b0', ['channel-timed-out']],
      ['and those behind may time out with it', { 1: 'a0 b0!', 12: '' }, '', ['channel-timed-out', 'channel-timed-out']],
    ] satisfies FeedCase[]
  ).map(([title, feed, read, reasons]) => [title, feed, read, reasons, { readsFirstReadyChannel: false }]),
  // a frame counts its data plus 200 bytes; the limit is 1000 bytes
  'derivation.md#pruning': (
    [
      ['one byte below the limit', { 1: 'a0*300 b0*299' }, '', []],
      ['at the limit', { 1: 'a0*300 b0*300' }, '', []],
      ['one byte above it the oldest goes', { 1: 'a0*300 b0*301', 2: 'b1!' }, 'b0b1', ['channel-pruned']],
      [
        'the channel opened first is the oldest, even if another one grows',
        { 1: 'b0*300 a0*300 b1*2', 2: 'a1!' },
        'a0a1',
        ['channel-pruned'],
      ],
      ['a channel can be pruned by its own frame', { 1: 'a0*801', 2: 'a1!' }, '', ['channel-pruned']],
      ['as many as it takes', { 1: 'a0*100 b0*100 c0*701', 2: 'c1!*2' }, '', ['channel-pruned', 'channel-pruned', 'channel-pruned']],
      ['and no more', { 1: 'a0*100 b0*100 c0*250', 2: 'b1!*2' }, 'b0b1', ['channel-pruned']],
      ['five empty frames are at the limit', { 1: 'a0*0 a1*0 a2*0 a3*0 a4*0' }, '', []],
      ['six are above it', { 1: 'a0*0 a1*0 a2*0 a3*0 a4*0 a5*0' }, '', ['channel-pruned']],
      ['a dropped frame prunes nothing', { 1: 'a0*400 b0*200 b0*900' }, '', ['frame-duplicate']],
      ['frames removed by a late close do not count any more', { 1: 'a2*300 a0*300 a1!*300' }, 'a0a1', ['frame-past-end']],
      ['what was read does not count any more', { 1: 'a0!*800 b0!*800' }, 'a0 b0', []],
    ] satisfies FeedCase[]
  ).map(([title, feed, read, reasons]) => [title, feed, read, reasons, { maxChannelBankBytes: 1000 }]),
}

describe('channel bank', () => {
  for (const [section, cases] of Object.entries(SECTIONS)) {
    describe(section, () => {
      for (const [title, blocks, read, reasons, rules] of cases) {
        it(title, async () => {
          assert.deepEqual(await runFeed(bank(rules), blocks), { read, reasons })
        })
      }
    })
  }

  it('reports the channels that it drops when the rules change. holocene/derivation.md#activation', async () => {
    const { at, context, stage } = bank()
    await at(1, 'a0 b0')
    stage.discard()
    assert.deepEqual(context.reasons, ['fork-activated', 'fork-activated'])
    assert.deepEqual(context.stages, ['channel-bank', 'channel-bank'])
    assert.deepEqual(await at(2, 'a1!'), [])
  })
})

import assert from 'node:assert/strict'
import { type OptionsError, option, optionParsers as parse, resolveOptions } from '@keelson/runtime'
import { assertOptionsFit } from './assert-options-fit.ts'
import { p2pOptions } from './p2p-options.ts'
import { missingSignerWarning, sequencerOptions } from './sequencer-options.ts'
import { syncOptions } from './sync-options.ts'

const SET = {
  role: option<'sequencer' | 'follower'>({
    key: 'role',
    parse: parse.oneOf('sequencer', 'follower'),
    default: 'follower',
    description: 'Role.',
  }),
  ...p2pOptions,
  ...sequencerOptions,
  ...syncOptions,
}
const KEY = `0x${'11'.repeat(32)}`
const ADDRESS = `0x${'22'.repeat(20)}`
const valuesOf = (flags: Record<string, string>) => resolveOptions(SET, { flags }).values
const mistakesOf = async (flags: Record<string, string>): Promise<readonly string[]> => {
  try {
    await assertOptionsFit(valuesOf(flags))
    return []
  } catch (error) {
    return (error as OptionsError).mistakes
  }
}

describe('options of the consensus client that contradict each other', () => {
  it('are refused on a follower when they are for sequencers', async () => {
    for (const [flag, value] of [
      ['conductor.enabled', 'true'],
      ['p2p.signer-key', KEY],
      ['p2p.signer.endpoint', 'http://127.0.0.1:1'],
      ['p2p.signer.address', ADDRESS],
      ['sequencer.l1-confirmations', '9'],
      ['sequencer.max-safe-lag', '9'],
      ['sequencer.stopped', 'true'],
      ['sequencer.recover', 'true'],
    ] as const) {
      assert.deepEqual(await mistakesOf({ [flag]: value }), [`--${flag} is for sequencers: give --role sequencer too, or leave it out`])
    }
    assert.deepEqual(await mistakesOf({}), [])
    assert.deepEqual(await mistakesOf({ role: 'sequencer', 'sequencer.recover': 'true', 'p2p.signer-key': KEY }), [])
  })

  it('are refused when a block has two signers or half of one, and all at once', async () => {
    const sequencer = { role: 'sequencer', 'p2p.signer.endpoint': 'http://127.0.0.1:1' }
    assert.deepEqual(await mistakesOf({ ...sequencer, 'p2p.signer.address': ADDRESS }), [])
    const mistakes = await mistakesOf({ ...sequencer, 'p2p.signer-key': KEY, 'p2p.peers.lo': '40' })
    assert.equal(mistakes.length, 3)
    assert.match(mistakes.join('\n'), /give one of them\n.*needs --p2p\.signer\.address.*\n--p2p\.peers\.lo 40 is above/)
    assert.match(
      (await mistakesOf({ role: 'sequencer', 'p2p.signer.address': ADDRESS })).join(),
      /is of the service at --p2p\.signer\.endpoint/,
    )
  })

  it('are warned of when a sequencer has gossip and nothing to sign with', () => {
    assert.match(missingSignerWarning(valuesOf({ role: 'sequencer' })) ?? '', /blocks of this sequencer are not gossiped/)
    for (const flags of [{}, { role: 'sequencer', 'p2p.enabled': 'false' }, { role: 'sequencer', 'p2p.signer-key': KEY }])
      assert.equal(missingSignerWarning(valuesOf(flags)), null)
  })
})

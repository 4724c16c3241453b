import assert from 'node:assert/strict'
import { type OptionsError, parseFlags, renderOptionHelp, resolveOptions } from '@keelson/runtime'
import { assertOptionsFit } from './assert-options-fit.ts'
import { p2pOptions } from './p2p-options.ts'
import { missingSignerWarning, roleOption, sequencerOptions } from './sequencer-options.ts'
import { syncOptions } from './sync-options.ts'

const SET = {
  role: roleOption,
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

  it('take the sequencer mode as --sequencer.enabled, and refuse a --role that says otherwise', () => {
    const role = (args: readonly string[], env: Record<string, string> = {}) =>
      resolveOptions(SET, { flags: parseFlags(args, SET).flags, env }).values.role
    assert.equal(role(['--sequencer.enabled']), 'sequencer')
    assert.equal(role(['--sequencer.enabled=false']), 'follower')
    assert.equal(role(['--no-sequencer.enabled']), 'follower')
    assert.equal(role(['--sequencer.enabled', '--role', 'sequencer']), 'sequencer')
    assert.equal(role([], { KEELSON_SEQUENCER_ENABLED: 'true' }), 'sequencer')
    assert.equal(role(['--no-sequencer.enabled'], { KEELSON_ROLE: 'sequencer' }), 'follower')
    assert.throws(() => role(['--role', 'follower', '--sequencer.enabled']), {
      message: '--role and --sequencer.enabled are one option; give one of them',
    })
    assert.throws(() => role([], { KEELSON_ROLE: 'sequencer', KEELSON_SEQUENCER_ENABLED: 'false' }), {
      message: 'KEELSON_ROLE and KEELSON_SEQUENCER_ENABLED are one option; give one of them',
    })
    assert.match(renderOptionHelp(SET), /Also --sequencer\.enabled\. \[KEELSON_ROLE, KEELSON_SEQUENCER_ENABLED\]/)
  })

  it('are refused when a block has two signers or half of one, and all at once', async () => {
    const sequencer = { role: 'sequencer', 'p2p.signer.endpoint': 'http://127.0.0.1:1' }
    assert.deepEqual(await mistakesOf({ ...sequencer, 'p2p.signer.address': ADDRESS }), [])
    const mistakes = await mistakesOf({ ...sequencer, 'p2p.signer-key': KEY, 'p2p.peers.lo': '60' })
    assert.equal(mistakes.length, 3)
    assert.match(mistakes.join('\n'), /give one of them\n.*needs --p2p\.signer\.address.*\n--p2p\.peers\.lo 60 is above/)
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

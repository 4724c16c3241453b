import assert from 'node:assert/strict'
import { type OptionSet, type OptionsError, option, optionalOption, optionParsers as parse, resolveOptions } from '@keelson/runtime'
import { findNetworkDefaults } from './network-defaults.ts'
import { networkOption } from './network-option.ts'

const EXECUTION = {
  network: networkOption(),
  sequencerRpc: optionalOption({ key: 'sequencer.rpc', parse: parse.httpUrl, description: 'Sequencer.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8545, description: 'Port.' }),
}
const CONSENSUS = {
  network: networkOption(),
  bootnodes: option({ key: 'p2p.bootnodes', parse: parse.list(parse.text), default: [], description: 'Bootnodes.' }),
  host: option({ key: 'p2p.host', parse: parse.text, default: '127.0.0.1', description: 'Address.' }),
}

function resolve<S extends OptionSet>(set: S, flags: Record<string, string>, env: Record<string, string> = {}) {
  const given = { flags, env }
  const defaults = findNetworkDefaults(set, given)
  return resolveOptions(set, { ...given, ...(defaults === null ? {} : { defaults }) })
}

describe('the defaults of a network', () => {
  it('are the sequencer of the registry for the execution client, and the table says so', () => {
    const { values, effective } = resolve(EXECUTION, { network: 'op-sepolia' })
    // superchain/configs/sepolia/op.toml.
    assert.equal(values.sequencerRpc, 'https://sepolia-sequencer.optimism.io')
    assert.deepEqual(
      effective.map(({ key, source }) => [key, source]),
      [
        ['network', 'flag'],
        ['sequencer.rpc', 'network'],
        ['http.port', 'default'],
      ],
    )
    assert.match(effective[0]?.value ?? '', /^op-sepolia \(.*config\/networks\/op-sepolia\)$/)
  })

  it('are bootnodes and an address beyond this machine for the consensus client', () => {
    const { values } = resolve(CONSENSUS, {}, { KEELSON_NETWORK: 'unichain-mainnet' })
    assert.equal(values.bootnodes.length, 11)
    assert.equal(values.host, '0.0.0.0')
  })

  it('give way to whatever is given', () => {
    const { values } = resolve(EXECUTION, { network: 'op-sepolia', 'sequencer.rpc': 'http://127.0.0.1:1' })
    assert.equal(values.sequencerRpc, 'http://127.0.0.1:1')
    assert.equal(resolve(CONSENSUS, { network: 'op-sepolia' }, { KEELSON_P2P_HOST: '::1' }).values.host, '::1')
  })

  it('do not exist for a network that nobody knows, which the options then refuse with similar names', () => {
    assert.throws(
      () => resolve(EXECUTION, { network: 'op-sepola', 'http.port': 'x' }),
      (error: OptionsError) => error.mistakes.length === 2 && /did you mean op-sepolia or op-mainnet\?/.test(error.message),
    )
  })
})

import assert from 'node:assert/strict'
import { Secret } from '../secret.ts'
import { parseFlags } from './flags.ts'
import { renderEffectiveOptions, renderOptionHelp } from './help.ts'
import { option, optionalOption } from './option.ts'
import * as parse from './parsers.ts'
import { type OptionsError, resolveGivenOptions, resolveOptions } from './resolve-options.ts'

const SET = {
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8545, description: 'Port of the JSON-RPC server.' }),
  modules: option({
    key: 'http.modules',
    parse: parse.list(parse.oneOf('eth', 'net', 'debug')),
    default: ['eth', 'net'],
    description: 'Served.',
  }),
  maxPeers: option({ key: 'p2p.maxPeers', parse: parse.integer(0, 1000), default: 50, description: 'Most peers.' }),
  discovery: option({ key: 'p2p.discovery', parse: parse.toggle, default: true, description: 'Look for peers.' }),
  l1: option({ key: 'l1.rpc', parse: parse.rpcUrl, description: 'URL of L1.' }),
  chainId: option({ key: 'chainId', parse: parse.bigInteger, default: 1n, description: 'Chain id.' }),
  key: optionalOption({ key: 'sequencer.key', parse: parse.privateKey, secret: true, description: 'Key.' }),
}

const L1 = { 'l1.rpc': 'http://127.0.0.1:7545' }

describe('options', () => {
  it('take each value from the last source that has it', () => {
    const { values, effective } = resolveOptions(SET, {
      files: [
        { path: 'role.json', values: { 'http.port': 1, 'p2p.maxPeers': 1, 'l1.rpc': 'http://a', chainId: 2 } },
        { path: 'my.json', values: { 'http.port': 2, 'p2p.maxPeers': 2, 'l1.rpc': 'http://b' } },
      ],
      env: { KEELSON_HTTP_PORT: '3', KEELSON_P2P_MAX_PEERS: '3', KEELSON_L1_RPC: '' },
      flags: { 'http.port': '4' },
    })
    assert.deepEqual(values, {
      httpPort: 4,
      modules: ['eth', 'net'],
      maxPeers: 3,
      discovery: true,
      l1: 'http://b',
      chainId: 2n,
      key: null,
    })
    assert.deepEqual(
      effective.map(({ source }) => source),
      ['flag', 'default', 'environment', 'default', 'file my.json', 'file role.json', 'default'],
    )
  })

  it('report all mistakes at once, each with its source', () => {
    const resolve = () =>
      resolveOptions(SET, {
        files: [{ path: 'my.json', values: { 'http.prot': 1, 'http.port': '80', 'p2p.maxPeers': 1.5 } }],
        env: { KEELSON_CHAIN_ID: '-3' },
        flags: { 'http.port': '70000', 'p2p.discover': 'false', 'sequencer.key': '0x1234' },
      })
    assert.throws(resolve, (error: OptionsError) => {
      assert.equal(error.code, 'runtime/options')
      assert.deepEqual(error.mistakes, [
        'unknown key "http.prot" in my.json; did you mean http.port?',
        'unknown option --p2p.discover; did you mean --p2p.discovery?',
        '--http.port: expected a whole number from 0 to 65535, got "70000"',
        '"p2p.maxPeers" in my.json: expected a whole number from 0 to 1000, got 1.5',
        'missing: give --l1.rpc, KEELSON_L1_RPC or "l1.rpc" in a file (URL of L1.)',
        'KEELSON_CHAIN_ID: expected a whole number from 0, got "-3"',
        '--sequencer.key: expected a private key: 32 bytes as 64 hex digits, with or without 0x',
      ])
      for (const mistake of error.mistakes) assert.ok(error.message.includes(mistake))
      return true
    })
  })

  it('can be shown while required ones are missing, but not with an invalid one', () => {
    const { effective } = resolveGivenOptions(SET, { flags: { 'http.port': '80' } })
    assert.match(renderEffectiveOptions(effective), /l1\.rpc +required, not given/)
    assert.throws(() => resolveGivenOptions(SET, { flags: { 'http.port': '70000' } }), /--http\.port: expected a whole number/)
  })

  it('never show a secret', () => {
    const key = `0x${'a1'.repeat(32)}`
    const { values, effective } = resolveOptions(SET, { flags: { ...L1, 'sequencer.key': key } })
    assert.ok(values.key instanceof Secret)
    assert.equal(values.key.reveal().length, 32)
    const shown =
      renderEffectiveOptions(effective) + renderOptionHelp(SET) + JSON.stringify(values, (_, v) => (typeof v === 'bigint' ? String(v) : v))
    assert.ok(!shown.includes('a1a1'))
    assert.match(renderEffectiveOptions(effective), /sequencer\.key +\*\*\* +flag/)
  })

  it('never show parts of a URL that may be credentials', () => {
    const set = {
      l1: option({ key: 'l1.rpc', parse: parse.list(parse.rpcUrl), description: 'L1.' }),
      engine: option({ key: 'engine.url', parse: parse.httpUrl, default: 'http://127.0.0.1:8551', description: 'Engine.' }),
    }
    const shown = (l1: string) => resolveOptions(set, { flags: { 'l1.rpc': l1 } }).effective[0]?.value
    assert.equal(shown('http://a:secret@h/key'), 'http://***@h/***')
    assert.equal(shown('https://h:8545/v3/0123abcd,wss://h/?apikey=1'), 'https://h:8545/***,wss://h/***')
    assert.equal(shown('http://token@h,http://h/#key'), 'http://***@h,http://h/***')
    assert.equal(shown('http://h:8545,http://h/'), 'http://h:8545,http://h/')
    assert.match(renderOptionHelp(set), /--engine\.url <url> \(default: http:\/\/127\.0\.0\.1:8551\)/)
    assert.equal(resolveOptions(set, { flags: { 'l1.rpc': 'http://a:secret@h/key' } }).values.l1[0], 'http://a:secret@h/key')
  })

  it('parse sizes with a unit, and show them as entered', () => {
    const set = { most: option({ key: 'most', parse: parse.byteSize, default: 16 * 2 ** 30, description: 'Size.' }) }
    const given = (most: string) => resolveOptions(set, { flags: { most } }).values.most
    assert.deepEqual(['0', '1048576', '16GiB', '500MB', '3 KiB'].map(given), [0, 2 ** 20, 16 * 2 ** 30, 500e6, 3072])
    for (const text of ['16G', '1.5GiB', '-1', 'GiB', '999999TiB'])
      assert.throws(() => given(text), /--most: expected a size such as 16GiB/)
    assert.equal(resolveOptions(set, {}).effective[0]?.value, '16GiB')
    assert.equal(resolveOptions(set, { flags: { most: '1000' } }).effective[0]?.value, '1000B')
  })

  it('parse gwei as wei, and show them as gwei', () => {
    const set = { tip: option({ key: 'tip', parse: parse.gwei, default: 50_000_000n, description: 'Tip.' }) }
    const given = (tip: string | number) => resolveOptions(set, { flags: { tip: String(tip) } }).values.tip
    assert.deepEqual(['0', '1', '0.05', '2.000000001', 250].map(given), [0n, 10n ** 9n, 50_000_000n, 2_000_000_001n, 250n * 10n ** 9n])
    for (const text of ['', '-1', '1.', '.5', '1gwei', '0.0000000001']) assert.throws(() => given(text), /--tip: expected gwei such as 1/)
    assert.equal(resolveOptions(set, {}).effective[0]?.value, '0.05')
    assert.equal(resolveOptions(set, { flags: { tip: '3' } }).effective[0]?.value, '3')
  })

  it('parse times with a unit and networks, and show them as entered', () => {
    const set = {
      timeout: option({ key: 'timeout', parse: parse.duration(500, 7 * 86_400_000), default: 90_000, description: 'Time.' }),
      trusted: option({ key: 'trusted', parse: parse.list(parse.network), default: [], description: 'Networks.' }),
    }
    const given = (timeout: string) => resolveOptions(set, { flags: { timeout } }).values.timeout
    assert.deepEqual(['500ms', '30s', '5m', '12h', '7d'].map(given), [500, 30_000, 300_000, 43_200_000, 604_800_000])
    for (const text of ['499ms', '8d', '30', '1.5s', '-1s', 's', '']) {
      assert.throws(() => given(text === '' ? ' ' : text), /--timeout: expected a time from 500ms to 7d, with its unit/)
    }
    const { effective } = resolveOptions(set, { flags: { timeout: '120s', trusted: '10.1.0.0/16, ::1' } })
    assert.deepEqual(
      effective.map(({ value }) => value),
      ['2m', '10.1.0.0/16,0:0:0:0:0:0:0:1/128'],
    )
    assert.match(renderOptionHelp(set), /--timeout <time> \(default: 90s\)/)
    assert.throws(
      () => resolveOptions(set, { flags: { trusted: '10.0.0.0/33' } }),
      /--trusted: expected an address or a network such as .*got "10.0.0.0\/33"/,
    )
  })

  it('have help that names flag, default, variable and required options', () => {
    const help = renderOptionHelp(SET)
    assert.match(help, /--http\.port <port> \(default: 8545\)\n +Port of the JSON-RPC server\. \[KEELSON_HTTP_PORT\]/)
    assert.match(help, /--p2p\.max-peers <number> \(default: 50\)/)
    assert.match(help, /--l1\.rpc <url> \(required\)/)
    assert.match(help, /--p2p\.discovery, --no-p2p\.discovery \(default: true\)/)
  })

  it('are grouped under headings in help when there are many, general ones first', () => {
    const many = Object.fromEntries(
      [
        'l1.a',
        'rpc.a',
        'metrics.port',
        ...Array.from({ length: 20 }, (_, i) => `p2p.n${i}`),
        'rpc.b',
        'metrics.host',
        'alone.x',
        'plain',
      ].map((key) => [key, option({ key, parse: parse.text, default: 'x', description: 'Text.' })]),
    )
    const help = renderOptionHelp({ must: SET.l1, ...many })
    assert.deepEqual(help.match(/^\S.*:$/gm), ['Required:', 'General:', 'RPC:', 'Metrics and health:', 'Peers and gossip:'])
    assert.match(help, /--metrics\.port .*\n.*\n {2}--metrics\.host /)
    assert.equal(help.match(/^ {2}--/gm)?.length, Object.keys(many).length + 1)
    assert.doesNotMatch(renderOptionHelp(SET), /^\S/m)
  })

  it('parse sizes within limits', () => {
    const set = { most: option({ key: 'most', parse: parse.byteSizeWithin(1024, 2 ** 30), default: 2 ** 29, description: 'Size.' }) }
    const given = (most: string) => resolveOptions(set, { flags: { most } }).values.most
    assert.deepEqual([given('1KiB'), given('1024'), given('1GiB')], [1024, 1024, 2 ** 30])
    assert.throws(() => given('1023'), /--most: expected a size from 1KiB to 1GiB, got "1023"/)
    assert.match(renderOptionHelp(set), /--most <size> \(default: 512MiB\)/)
  })

  it('are parsed from a command line', () => {
    const args = [
      'devnet',
      '--http.port',
      '9',
      '--p2p.discovery',
      'left',
      '--http.modules=eth',
      '--http.modules',
      'net',
      '--',
      '--not-a-flag',
    ]
    const { flags, positional } = parseFlags(args, SET)
    assert.deepEqual({ ...flags }, { 'http.port': '9', 'p2p.discovery': true, 'http.modules': 'eth,net' })
    assert.deepEqual(positional, ['devnet', 'left', '--not-a-flag'])
    assert.deepEqual({ ...parseFlags(['--no-p2p.discovery', '--l1.rpc'], SET).flags }, { 'p2p.discovery': 'false', 'l1.rpc': true })
    assert.equal(resolveOptions(SET, { flags: { ...L1, ...parseFlags(['--no-p2p.discovery'], SET).flags } }).values.discovery, false)
  })

  it('are not switched on by a value that says off: --p2p.discovery false', () => {
    const read = (...args: string[]) => parseFlags(args, SET)
    assert.throws(() => read('--p2p.discovery', 'false'), {
      code: 'runtime/options',
      message: 'unexpected argument false; write --no-p2p.discovery or --p2p.discovery=false',
    })
    assert.throws(() => read('--p2p.discovery', '1'), /unexpected argument 1; write --p2p\.discovery or --p2p\.discovery=true/)
    assert.throws(() => read('--no-p2p.discovery', 'true'), /unexpected argument true after --no-p2p\.discovery/)
    assert.deepEqual(read('--p2p.discovery', 'false-alarm.bin').positional, ['false-alarm.bin'])
  })

  it('have one letter where the option names one', () => {
    const set = { follow: option({ key: 'follow', short: 'f', parse: parse.toggle, default: false, description: 'Print new lines.' }) }
    assert.deepEqual(parseFlags(['role', '-f'], set), { flags: Object.assign(Object.create(null), { follow: true }), positional: ['role'] })
    assert.match(renderOptionHelp(set), /^ {2}-f, --follow\n/)
    assert.throws(() => parseFlags(['-f', '--follow'], set), /--follow is given twice/)
  })

  it('are refused when repeated, unless they are lists', () => {
    const read = (...args: string[]) => parseFlags(args, SET).flags
    assert.throws(() => read('--http.port', '1', '--http.port=2'), { message: '--http.port is given twice; give it once' })
    assert.throws(() => read('--p2p.discovery', '--p2p.discovery'), /--p2p\.discovery is given twice/)
    assert.throws(
      () => read('--p2p.discovery', '--no-p2p.discovery'),
      /--p2p\.discovery and --no-p2p\.discovery are one option; give one of them/,
    )
    assert.throws(
      () => read('--http.port', '1', '--http.port', '2', '--p2p.max-peers=1', '--p2p.max-peers=1'),
      (error: OptionsError) => error.mistakes.length === 2,
    )
    assert.equal(read('--http.modules', 'eth', '--http.modules', 'net')['http.modules'], 'eth,net')
  })

  it('have a second flag where other clients use another name', () => {
    const set = {
      confirmations: option({
        key: 'sequencer.l1Confirmations',
        alias: 'sequencer.l1-confs',
        parse: parse.integer(0),
        default: 4,
        description: 'Blocks.',
      }),
      stopped: option({ key: 'stopped', alias: 'sequencer.stopped', parse: parse.toggle, default: false, description: 'Wait.' }),
    }
    const read = (...args: string[]) => resolveOptions(set, { flags: parseFlags(args, set).flags }).values
    assert.deepEqual(read('--sequencer.l1-confs', '2', '--sequencer.stopped'), { confirmations: 2, stopped: true })
    assert.throws(
      () => read('--sequencer.l1-confirmations=3', '--sequencer.l1-confs=2'),
      /--sequencer\.l1-confirmations and --sequencer\.l1-confs are one option; give one of them/,
    )
    assert.throws(() => read('--sequencer.l1-confs', 'x'), /--sequencer.l1-confs: expected a whole number/)
    assert.match(
      renderOptionHelp(set),
      /Blocks\. Also --sequencer\.l1-confs\. \[KEELSON_SEQUENCER_L1_CONFIRMATIONS, KEELSON_SEQUENCER_L1_CONFS\]/,
    )
  })

  it('have a second environment variable with a second flag, and refuse two that differ', () => {
    const set = { peers: option({ key: 'p2p.peers', alias: 'maxpeers', parse: parse.integer(0), default: 50, description: 'Peers.' }) }
    const read = (env: Record<string, string>) => resolveOptions(set, { env }).values.peers
    assert.deepEqual([read({ KEELSON_MAXPEERS: '7' }), read({ KEELSON_P2P_PEERS: '', KEELSON_MAXPEERS: '7' })], [7, 7])
    assert.equal(read({ KEELSON_P2P_PEERS: '7', KEELSON_MAXPEERS: '07' }), 7)
    assert.throws(() => read({ KEELSON_P2P_PEERS: '7', KEELSON_MAXPEERS: '8' }), {
      message: 'KEELSON_P2P_PEERS and KEELSON_MAXPEERS are one option; give one of them',
    })
  })
})

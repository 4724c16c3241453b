import assert from 'node:assert/strict'
import { type AnyCommand, type Command, isCommandGroup } from '../command.ts'
import { COMMANDS } from '../commands/all-commands.ts'
import { beaconCommand } from '../commands/beacon.ts'
import { BEACON_PORT, findHealthTarget, HEALTH_PORTS, keelsonWords } from './find-target.ts'

const find = (line: string, env: Readonly<Record<string, string>> = {}) => findHealthTarget(line.split(' '), env)

describe('what a health check asks', () => {
  const targets: readonly (readonly [line: string, url: string])[] = [
    ['execution --data-dir /data --metrics.host 0.0.0.0', 'http://127.0.0.1:6060/healthz'],
    ['consensus --role sequencer --metrics.port=17300', 'http://127.0.0.1:17300/healthz'],
    ['consensus --metrics.host ::', 'http://[::1]:7300/healthz'],
    ['conductor --metrics.host ::1', 'http://[::1]:7303/healthz'],
    ['batcher', 'http://127.0.0.1:7301/healthz'],
    ['proposer --metrics.host 10.0.0.7', 'http://10.0.0.7:7302/healthz'],
    ['faucet serve', 'http://127.0.0.1:7304/healthz'],
    ['bridge serve', 'http://127.0.0.1:7305/healthz'],
    ['validator run --metrics.port 7406', 'http://127.0.0.1:7406/healthz'],
    ['platform', 'http://127.0.0.1:7308/healthz'],
    ['index', 'http://127.0.0.1:7309/healthz'],
    ['web', 'http://127.0.0.1:7310/healthz'],
  ]
  for (const [line, url] of targets) {
    it(`keelson ${line}: ${url}`, () => assert.deepEqual(find(line), { kind: 'report', url }))
  }

  it('takes the port from the environment that the role has, and a flag before it', () => {
    const env = { KEELSON_METRICS_PORT: '6100', KEELSON_METRICS_HOST: '0.0.0.0' }
    assert.deepEqual(find('execution', env), { kind: 'report', url: 'http://127.0.0.1:6100/healthz' })
    assert.deepEqual(find('execution --metrics.port 6200', env), { kind: 'report', url: 'http://127.0.0.1:6200/healthz' })
  })

  it('takes the port from a configuration file, after environment and flags', () => {
    const files = [{ path: 'my.json', values: { 'metrics.port': 6300, 'http.port': 1 } }]
    const at = (line: string, env = {}) => findHealthTarget(line.split(' '), env, files)
    assert.deepEqual(at('execution --config my.json'), { kind: 'report', url: 'http://127.0.0.1:6300/healthz' })
    assert.deepEqual(at('execution', { KEELSON_METRICS_PORT: '6100' }), { kind: 'report', url: 'http://127.0.0.1:6100/healthz' })
  })

  it('asks every command that has a health port, on the port that its options have', async () => {
    const found: Record<string, unknown> = {}
    const collect = async (command: AnyCommand): Promise<void> => {
      if (isCommandGroup(command)) {
        for (const load of Object.values(command.commands)) await collect(await load())
        if (command.otherwise !== undefined) await collect(await command.otherwise())
      } else {
        const port = (command as Command).options.metricsPort?.default
        // These ports belong to other programs.
        if (typeof port === 'number') found[command.name] = port
      }
    }
    for (const load of Object.values(COMMANDS)) await collect(await load())
    assert.deepEqual(found, HEALTH_PORTS)
    assert.equal(new Set(Object.values(found)).size, Object.keys(found).length, 'services of one host share no port')
    assert.equal(beaconCommand.options.port.default, BEACON_PORT)
  })

  it('is not confused by options of the role that are given several times', () => {
    assert.deepEqual(find('consensus --l1.rpc http://a --l1.rpc http://b --rpc.admin --metrics.port 7000'), {
      kind: 'report',
      url: 'http://127.0.0.1:7000/healthz',
    })
  })

  it('knows roles without a report', () => {
    assert.deepEqual(find('beacon --host 0.0.0.0'), { kind: 'answer', url: 'http://127.0.0.1:7546/eth/v1/node/version' })
    assert.deepEqual(find('devnet', { KEELSON_DATA_DIR: '/data' }), { kind: 'network', folder: '/data' })
  })

  it('refuses what is no role, and a port that is none', () => {
    for (const line of ['jwt secret.hex', 'nonsense', 'validator status', 'bridge', 'devnet status', 'devnet prepare', 'constructor'])
      assert.throws(() => find(line), { code: 'node/usage' }, line)
    assert.throws(() => find('execution --metrics.port 99999'), { code: 'runtime/options' })
    assert.throws(() => find('execution --metrics.port'), { code: 'runtime/options' })
  })

  it('finds the role behind an init process, and none in another program', () => {
    const own = ['node', '--enable-source-maps', '/app/dist/keelson.js', 'execution', '--http.port', '1']
    assert.deepEqual(keelsonWords(own), ['execution', '--http.port', '1'])
    assert.deepEqual(keelsonWords(['/sbin/docker-init', '--', ...own]), ['execution', '--http.port', '1'])
    assert.equal(keelsonWords(['/usr/lib/systemd/systemd', '--user']), null)
  })
})

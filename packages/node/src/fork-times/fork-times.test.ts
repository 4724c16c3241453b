import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { forkLimitOf } from '@keelson/chainspec'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { NodeError, toHash } from '@keelson/primitives'
import { claimDataDirectory, parseFlags, resolveOptions } from '@keelson/runtime'
import { doctorCommand } from '../commands/doctor.ts'
import { networkUpdateCommand } from '../commands/network/update.ts'
import { forkTimesCheck } from '../doctor/checks/fork-times.ts'
import type { DoctorContext } from '../doctor/doctor-context.ts'
import { closeServer, openServer } from '../doctor/faults.test-support.ts'
import { renderFinding } from '../doctor/render-finding.ts'
import { describeNetwork } from '../networks/describe-network.ts'
import { registryAddress } from '../networks/read-registry.ts'
import { type RegistryEntry, readRegistryEntry } from '../networks/registry-entry.ts'
import { networksFolder } from '../networks/shipped-networks.ts'
import { openRollupConfig } from '../role/rollup-option.ts'
import { FORK_TIMES_FILE, type NewerForkTimes, readForkTimesFile, writeForkTimesFile } from './fork-times-file.ts'
import { readRollup } from './read-rollup.ts'
import { planUpdate } from './update-fork-times.ts'

const TOML = 'superchain/configs/sepolia/op.toml'
const SEPOLIA = join(networksFolder(), 'op-sepolia')
/** 2026-11-22 00:00:00 UTC. */
const NOW_SEC = 1_795_305_600
const DAY_SEC = 86_400
const LAGOON_SEC = 1_796_918_401
const LATER_SEC = LAGOON_SEC + 30 * DAY_SEC
const KARST_SEC = 1_781_712_001

const rollup = readRollupConfig(SEPOLIA)

/** The form of superchain/configs/sepolia/op.toml at superchain-registry 8336d2ae. */
function registryText(changes: Readonly<Record<string, unknown>> = {}, chain: Readonly<Record<string, unknown>> = {}): string {
  const stated = Object.fromEntries(rollup.forks.lineage.slice(2, -1).map((fork) => [`${fork}_time`, rollup.forks.activationTimeSec(fork)]))
  const forks = { ...stated, pectra_blob_schedule_time: rollup.pectraBlobScheduleTimeSec, keep_karst_upgrade_gas: true, ...changes }
  const lines = Object.entries(forks).filter(([, value]) => value !== undefined)
  const { id = 11155420, hash = rollup.genesis.l2.hash } = chain
  return [
    'name = "OP Sepolia Testnet"',
    `chain_id = ${id}`,
    '[hardforks]',
    ...lines.map(([key, value]) => `  ${key} = ${value} # as announced`),
    '[genesis]',
    `  l2_time = ${rollup.genesis.l2TimestampSec}`,
    '  [genesis.l2]',
    `    hash = "${hash}"`,
  ].join('\n')
}

const entryOf = (changes: Readonly<Record<string, unknown>>): RegistryEntry =>
  readRegistryEntry(registryText(changes), 'registry/op.toml', rollup)

describe('newer fork times', () => {
  let folder: string
  let dataDir: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-fork-times-'))
    dataDir = join(folder, 'data')
    mkdirSync(dataDir)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const newer = (forks: Readonly<Record<string, number>>, readAtSec = NOW_SEC): NewerForkTimes => ({
    network: 'op-sepolia',
    chainId: rollup.l2ChainId,
    genesisHash: rollup.genesis.l2.hash,
    forks: new Map(Object.entries(forks).map(([name, timeSec]) => [name, { timeSec, source: 'registry/op.toml', readAtSec }])),
  })
  const read = (nowSec = NOW_SEC) => readRollup({ network: SEPOLIA, allowSameChainId: false, dataDir }, nowSec)

  describe('in a data directory', () => {
    for (const [name, forks, nowSec, expected] of [
      ['move a fork that is to come', { lagoon: LATER_SEC }, NOW_SEC, ['lagoon', LATER_SEC]],
      ['add a fork that this release does not know', { atoll: LATER_SEC }, NOW_SEC, ['lagoon', LAGOON_SEC]],
      ['stop the node before the earlier fork', { atoll: LAGOON_SEC - DAY_SEC }, NOW_SEC, ['atoll', LAGOON_SEC - DAY_SEC]],
      ['name an unknown fork that is active already', { atoll: NOW_SEC - DAY_SEC }, NOW_SEC, ['atoll', NOW_SEC - DAY_SEC]],
      ['stay in use after their fork', { atoll: NOW_SEC + DAY_SEC }, NOW_SEC + 2 * DAY_SEC, ['atoll', NOW_SEC + DAY_SEC]],
    ] as const) {
      it(name, async () => {
        await writeForkTimesFile(dataDir, newer(forks))
        const { config, forkTimes } = read(nowSec)
        const limit = forkLimitOf(config)
        assert.deepEqual([limit?.fork.name, limit?.fork.timeSec], expected)
        // Other threads read the network with these times.
        assert.deepEqual(readRollupConfig(SEPOLIA, { forkTimes }).unsupportedForks, config.unsupportedForks)
      })
    }

    for (const [name, write, message] of [
      [
        'move a fork that is active',
        newer({ karst: KARST_SEC - 1 }),
        /fork karst is active since 2026-06-17 16:00:01 UTC and cannot move to /,
      ],
      ['add a past fork', newer({ azul: NOW_SEC - 1 }), /exclude each other/],
      ['are not monotonic', newer({ lagoon: KARST_SEC - 1 }), /fork lagoon|lagoon is set to/],
      [
        'are of another chain',
        { ...newer({ lagoon: LATER_SEC }), chainId: 10n },
        /they are of chain 10 with genesis .*; expected chain 11155420/,
      ],
      [
        'are of another genesis',
        { ...newer({ lagoon: LATER_SEC }), genesisHash: toHash(`0x${'11'.repeat(32)}`) },
        /they are of chain 11155420 with genesis 0x1111/,
      ],
    ] as const) {
      it(`are refused when they ${name}`, async () => {
        await writeForkTimesFile(dataDir, write)
        assert.throws(
          () => read(),
          (error) => {
            assert.ok(error instanceof NodeError)
            assert.equal(error.code, 'node/usage')
            assert.match(error.message, /fork-times\.json cannot be used: /)
            assert.match(error.message, message)
            assert.match(error.message, /; install a release .*, or remove the file/)
            return true
          },
        )
      })
    }

    it('are refused when a fork that this release follows was active as they were read', async () => {
      const private900 = join(folder, 'network')
      mkdirSync(private900)
      const json = JSON.parse(readFileSync(join(SEPOLIA, 'rollup.json'), 'utf8')) as Record<string, unknown>
      const { karst_time: _, lagoon_time: __, keep_karst_upgrade_gas: ___, ...rest } = json
      writeFileSync(join(private900, 'rollup.json'), JSON.stringify({ ...rest, l1_chain_id: 900 }))
      const readPrivate = (nowSec: number) => readRollup({ network: private900, allowSameChainId: false, dataDir }, nowSec)
      await writeForkTimesFile(dataDir, newer({ karst: NOW_SEC - 1 }))
      assert.throws(() => readPrivate(NOW_SEC), { message: /fork karst was active since .* when it was read, .* blocks without its rules/ })
      await writeForkTimesFile(dataDir, newer({ karst: NOW_SEC + 1 }))
      assert.equal(readPrivate(NOW_SEC + DAY_SEC).config.forks.activationTimeSec('karst'), NOW_SEC + 1)
    })

    for (const [name, text, message] of [
      ['not JSON', 'lagoon', /fork-times\.json cannot be used: .*; remove it to go on with the times of this release/],
      ['too large', ' '.repeat(65 * 1024), /66560 bytes, at most 65536/],
      ['without forks', JSON.stringify({ network: 'x', chainId: 1, genesisHash: `0x${'11'.repeat(32)}` }), /forks/],
      [
        'with a name that is none',
        JSON.stringify({ network: 'x', chainId: 1, genesisHash: `0x${'11'.repeat(32)}`, forks: { 'a b': {} } }),
        /expected names of forks, got "a b"/,
      ],
      [
        'with a time that is none',
        JSON.stringify({ network: 'x', chainId: 1, genesisHash: `0x${'11'.repeat(32)}`, forks: { atoll: { time: 'soon' } } }),
        /forks\.atoll\.time/,
      ],
      [
        'with too many forks',
        JSON.stringify({
          network: 'x',
          chainId: 1,
          genesisHash: `0x${'11'.repeat(32)}`,
          forks: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, {}])),
        }),
        /at most 64 are expected, got 65/,
      ],
    ] as const) {
      it(`are refused when the file is ${name}`, () => {
        writeFileSync(join(dataDir, FORK_TIMES_FILE), text)
        assert.throws(() => read(), { code: 'node/usage', message })
      })
    }

    it('change nothing once the release has the same times', async () => {
      await writeForkTimesFile(dataDir, newer({ lagoon: LAGOON_SEC }))
      assert.deepEqual([read().newer, read().forkTimes], [null, {}])
    })

    it('are named in the log of a role that starts, by --print-config and network show, and by doctor', async () => {
      await writeForkTimesFile(dataDir, newer({ lagoon: LATER_SEC }))
      const lines: string[] = []
      const warn = (line: string) => void lines.push(line)
      openRollupConfig({ network: SEPOLIA, allowSameChainId: false, dataDir }, { warn } as never, { nowMs: () => NOW_SEC * 1000 })
      const described = `lagoon at ${LATER_SEC} (2027-01-09 16:00:01 UTC), from registry/op.toml, read 2026-11-22 00:00:00 UTC`
      assert.deepEqual(lines.slice(0, 2), ['uses newer fork times than those of this release', `newer fork time: ${described}`])
      const shown = describeNetwork(SEPOLIA, NOW_SEC, [dataDir])
      assert.ok(shown.includes(described), shown.join('\n'))
      assert.match(shown.join('\n'), new RegExp(`^lagoon +${LATER_SEC} `, 'm'))

      const other = join(folder, 'other')
      mkdirSync(other)
      const examine = async (...dataDirs: readonly string[]) => {
        const settings = { network: SEPOLIA, allowSameChainId: false, clockOffsetMs: 0, dataDirs }
        const context = { rollup, newer: null, settings, machine: { nowMs: () => NOW_SEC * 1000 } } as unknown as DoctorContext
        return [await forkTimesCheck.run(context)].flat().map((result) => renderFinding({ check: 'fork-times', ...result }))
      }
      assert.match((await examine(dataDir)).join('\n'), /^ok .*fork-times\.json: lagoon at 1799510401 .* read 2026-11-22/)
      assert.match((await examine(dataDir, other)).join('\n'), /^FAIL .*the roles use different fork times: /)
      assert.match((await examine(other)).join('\n'), /no data directory has any/)
      await writeForkTimesFile(other, newer({ karst: KARST_SEC - 1 }))
      assert.match(
        (await examine(dataDir, other)).join('\n'),
        /^FAIL .*other: a role does not start with this folder: .* karst is active since/,
      )
    })
  })

  describe('an update', () => {
    const plan = (changes: Readonly<Record<string, unknown>>, previous: NewerForkTimes | null = null, nowSec = NOW_SEC) =>
      planUpdate({ network: 'op-sepolia', folder: SEPOLIA, rollup, entry: entryOf(changes), previous, nowSec })
    const planned = (...args: Parameters<typeof plan>) =>
      Object.fromEntries([...(plan(...args).newer?.forks ?? [])].map(([name, { timeSec }]) => [name, timeSec]))

    it('takes over what this release lacks, and nothing else', () => {
      assert.deepEqual(planned({ lagoon_time: LAGOON_SEC }), {})
      assert.deepEqual(planned({ lagoon_time: LATER_SEC, atoll_time: LATER_SEC + 1 }), { lagoon: LATER_SEC, atoll: LATER_SEC + 1 })
      // op-node's former name of Lagoon
      assert.deepEqual(planned({ lagoon_time: LAGOON_SEC, bedrock_time: undefined }), {})
    })

    it('keeps the times that only this release has, and says so', () => {
      const { newer: none, notes } = plan({})
      assert.equal(none, null)
      assert.deepEqual(notes, ['the registry does not schedule lagoon; the time of this release stays'])
    })

    it('names keys that may change the chain', () => {
      const { notes } = plan({ lagoon_time: LAGOON_SEC, keep_lagoon_gas: true, keep_karst_upgrade_gas: false })
      assert.equal(notes.length, 2)
      assert.match(notes[0] as string, /does not know hardforks\.keep_lagoon_gas/)
      assert.match(notes[1] as string, /keep_karst_upgrade_gas = false, this release true/)
    })

    it('keeps the date at which an unchanged time was read first', () => {
      const first = plan({ atoll_time: LATER_SEC })
      const again = plan({ atoll_time: LATER_SEC, lagoon_time: LAGOON_SEC }, first.newer, NOW_SEC + DAY_SEC)
      assert.equal(again.newer?.forks.get('atoll')?.readAtSec, NOW_SEC)
    })

    for (const [name, changes, previous, message] of [
      ['moves an active fork', { karst_time: KARST_SEC - 1 }, null, /fork karst is active since .* cannot move to/],
      ['moves a fork that an earlier update activated', { atoll_time: LATER_SEC }, { atoll: NOW_SEC - 1 }, /fork atoll is active since/],
      ['drops a fork that an earlier update activated', {}, { atoll: NOW_SEC - 1 }, /fork atoll is active by an earlier update/],
      ['is out of order', { lagoon_time: KARST_SEC - 1 }, null, /lagoon/],
    ] as const) {
      it(`is refused when it ${name}`, () => {
        const before = previous === null ? null : newer(previous, NOW_SEC - DAY_SEC)
        assert.throws(() => plan(changes, before), {
          code: 'node/refused',
          message: new RegExp(`${message.source}.*; nothing was written`),
        })
      })
    }

    for (const [name, toml, message] of [
      ['no TOML', '<html>moved</html>', /./],
      ['of another chain', registryText({}, { id: 10 }), /chain_id: expected 11155420, got 10/],
      ['of another genesis', registryText({}, { hash: `0x${'11'.repeat(32)}` }), /genesis\.l2\.hash: expected 0x102de6ff.*, got "0x1111/],
      [
        'without forks',
        `chain_id = 11155420\n[genesis.l2]\nhash = "${rollup.genesis.l2.hash}"\n`,
        /expected fork times in \[hardforks\], got none/,
      ],
      [
        'with a time that is none',
        registryText({ atoll_time: '"soon"' }),
        /hardforks\.atoll_time: expected a time in Unix seconds, got "soon"/,
      ],
      ['with too many forks', registryText(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}_time`, 1]))), /at most 64/],
    ] as const) {
      it(`refuses a file of the registry that is ${name}`, () => {
        assert.throws(() => readRegistryEntry(toml, 'registry/op.toml', rollup), { message })
      })
    }

    for (const [given, accepted] of [
      ['../registry', true],
      ['https://raw.githubusercontent.com/ethereum-optimism/superchain-registry/main', true],
      ['http://127.0.0.1:8080/main', true],
      ['http://localhost:8080', true],
      ['http://[::1]:8080', true],
      ['http://registry.example/main', false],
      ['http://127.0.0.1.example/main', false],
      ['ftp://registry.example', false],
      ['file:///etc/passwd', false],
    ] as const) {
      it(`${accepted ? 'accepts' : 'refuses'} the registry ${given}`, () => {
        if (accepted) assert.equal(registryAddress(given), given)
        else assert.throws(() => registryAddress(given), { message: /expected a folder or a URL with https:/ })
      })
    }
  })

  describe('keelson network update', () => {
    const printed: string[] = []
    const run = async (registry: string, ...dirs: readonly string[]) => {
      const { log } = console
      printed.length = 0
      console.log = (line: string) => void printed.push(line)
      try {
        return await networkUpdateCommand.run({ registry, dataDir: dirs }, { positional: ['op-sepolia'], version: '' })
      } finally {
        console.log = log
      }
    }
    const checkout = (text: string): string => {
      const file = join(folder, 'registry', TOML)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return join(folder, 'registry')
    }
    /** After any clock that runs this test. */
    const FAR_SEC = 4_000_000_000

    it('writes the times for every role below a folder, and removes them when they are no longer needed', async () => {
      for (const role of ['execution', 'consensus']) {
        const identity = { version: 1, role, chainId: rollup.l2ChainId, genesisHash: rollup.genesis.l2.hash }
        await claimDataDirectory(join(dataDir, role), identity)
      }
      assert.equal(await run(checkout(registryText({ lagoon_time: LAGOON_SEC, atoll_time: FAR_SEC })), dataDir), 0)
      for (const role of ['execution', 'consensus'])
        assert.equal(readForkTimesFile(join(dataDir, role))?.forks.get('atoll')?.timeSec, FAR_SEC)
      assert.match(printed.join('\n'), /execution\/fork-times\.json is written for op-sepolia, chain 11155420: .* from its next start/)
      assert.match(printed.join('\n'), /atoll at 4000000000 \(2096-10-02 07:06:40 UTC\), in \d+ days: this release cannot follow it/)
      await run(checkout(registryText({ lagoon_time: LAGOON_SEC })), dataDir)
      assert.ok(!existsSync(join(dataDir, 'execution', FORK_TIMES_FILE)))
      assert.match(printed.join('\n'), /is removed, because it is no longer needed/)
    })

    it('prints a command of keelson doctor that runs, for the same network and folders', async () => {
      await run(checkout(registryText({ atoll_time: FAR_SEC })), dataDir, join(folder, 'two words'))
      const line = /"\S+ keelson doctor (.*)" and --print-config/.exec(printed.join('\n'))?.[1]
      const words = spawnSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
        .stdout.trimEnd()
        .split('\n')
      const { flags } = parseFlags(words, doctorCommand.options)
      const { network, dataDir: dataDirs } = resolveOptions(doctorCommand.options, { flags, env: {} }).values
      assert.deepEqual([network, dataDirs], [SEPOLIA, [dataDir, join(folder, 'two words')]])
    })

    it('writes nothing into folders of another chain', async () => {
      const identity = { version: 1, role: 'execution', chainId: 10n, genesisHash: rollup.genesis.l2.hash }
      await claimDataDirectory(dataDir, identity)
      const update = run(checkout(registryText({ atoll_time: FAR_SEC })), dataDir)
      await assert.rejects(update, {
        code: 'node/usage',
        message: /holds data of chain 10 .*, the network is chain 11155420 .*; nothing was written/,
      })
      assert.ok(!existsSync(join(dataDir, FORK_TIMES_FILE)))
    })

    it('says what a registry lacks', async () => {
      mkdirSync(join(folder, 'registry'))
      await assert.rejects(run(join(folder, 'registry'), dataDir), {
        message: /it has no superchain\/configs\/sepolia\/op\.toml; nothing was written/,
      })
    })

    for (const [name, listener, message] of [
      [
        'a redirect',
        (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
        /answers 302, and redirects are not followed/,
      ],
      ['an error', (_, response) => response.writeHead(404).end(), /answers 404/],
      ['more than 256 KiB', (_, response) => response.end('x'.repeat(257 * 1024)), /larger than 262144 bytes/],
    ] as const satisfies readonly (readonly [string, RequestListener, RegExp])[]) {
      it(`writes nothing when the server answers with ${name}`, async () => {
        const { server, url }: { readonly server: Server; readonly url: string } = await openServer(listener)
        await assert.rejects(run(url, dataDir), { code: 'node/usage', message })
        await closeServer(server)
        assert.ok(!existsSync(join(dataDir, FORK_TIMES_FILE)))
      })
    }

    it('reads the file of the chain over HTTP', async () => {
      const paths: (string | undefined)[] = []
      const { server, url } = await openServer((request, response) => {
        paths.push(request.url)
        response.end(registryText({ atoll_time: FAR_SEC }))
      })
      await run(`${url}/main/`, dataDir)
      await closeServer(server)
      assert.deepEqual(paths, [`/main/${TOML}`])
      assert.equal(readForkTimesFile(dataDir)?.forks.get('atoll')?.source, `${url}/main/${TOML}`)
    })
  })
})

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { missingLine, readRunbook } from '../support/runbook-page.ts'
import { openRunbookShell, type RunbookShell } from '../support/runbook-shell.ts'

const { offset: PORT_OFFSET, spare: SPARE } = await claimE2ePorts()
const PAGES = new URL('../../config/runbooks/', import.meta.url)
const README = readFileSync(new URL('README.md', PAGES), 'utf8')
const ORDER = [...README.matchAll(/^\| \[[\w-]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name as string)
/** replicas.test.ts runs it, on a network with two sequencers. */
const RUN_ELSEWHERE = 'six-machines.md'
const LOG_LINES = 15
/** Starting and attesting take several epochs. */
const PAGE_LIMIT_MS = 1_200_000

describe('the runbooks', () => {
  let devnet: DevnetProcess
  let shell: RunbookShell
  let settings: Readonly<Record<string, string>>

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [
      ...['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '1'],
      ...['--staking.day-blocks', '30', '--staking.evidence-blocks', '45', '--staking.unbonding-blocks', '76'],
    ])
    const folder = join(devnet.folder, 'operator')
    mkdirSync(join(folder, 'node'), { recursive: true })
    shell = openRunbookShell(folder, { KEELSON_VALIDATOR_MACHINE_DIR: join(folder, 'machine') })
    settings = await settingsOf(devnet, folder)
  })
  after(async () => {
    await shell?.close()
    endRoles(join(devnet.folder, 'operator', 'node'))
    await devnet?.remove()
  })

  it('are all in the table of the README', () => {
    const pages = readdirSync(PAGES).filter((name) => name.endsWith('.md') && name !== 'README.md')
    assert.deepEqual([...ORDER].sort(), pages.sort())
  })

  for (const name of ORDER.filter((page) => page !== RUN_ELSEWHERE)) {
    it(`work as written: ${name}`, async () => {
      for (const block of readRunbook(readFileSync(new URL(name, PAGES), 'utf8'))) {
        if (block.kind === 'settings') await setAll(block.names)
        else {
          const output = await shell.run(block.text).catch((error: Error) => {
            throw new Error(`${name}, line ${block.line}: ${error.message}${lastLogLines(join(devnet.folder, 'operator', 'node'))}`)
          })
          const missing = missingLine(block.expected, output)
          assert.equal(missing, null, `${name}, line ${block.line}: "${missing}" is not in what was printed:\n${output}`)
        }
      }
    }).timeout(PAGE_LIMIT_MS)
  }

  async function setAll(names: readonly string[]): Promise<void> {
    const lines = names.map((name) => {
      assert.ok(name in settings, `the test has no value for ${name}`)
      return `${name}='${settings[name]}'\n`
    })
    const file = join(devnet.folder, 'operator', 'node', 'settings')
    if (names.includes('NETWORK')) writeFileSync(file, lines.join(''))
    await shell.run(lines.join(''))
  }
})

async function settingsOf({ facts }: DevnetProcess, folder: string): Promise<Readonly<Record<string, string>>> {
  const [http, ws, engine, executionMetrics, rpc, consensusMetrics, p2p, dutyMetrics] = Array.from({ length: 8 }, (_, i) => SPARE + i)
  const { peerID } = await rpcCall<{ readonly peerID: string }>(facts.l2.rollupRpcUrl, 'opp2p_self')
  const peer = `/ip4/127.0.0.1/tcp/${devnetPorts(PORT_OFFSET).consensus.p2p}/p2p/${peerID}`
  const keyFile = (name: string, account: number) => {
    writeFileSync(join(folder, name), `${facts.accounts[account]?.privateKey}\n`, { mode: 0o600 })
    return name
  }
  return {
    NETWORK: facts.networkDir,
    L1_RPC: facts.l1.rpcUrl,
    L1_BEACON: facts.l1.beaconUrl,
    RPC: `http://127.0.0.1:${http}`,
    ROLLUP_RPC: `http://127.0.0.1:${rpc}`,
    EXECUTION: `http://127.0.0.1:${executionMetrics}`,
    CONSENSUS: `http://127.0.0.1:${consensusMetrics}`,
    DUTIES: `http://127.0.0.1:${dutyMetrics}`,
    EXECUTION_OPTIONS: `--http.port ${http} --ws.port ${ws} --engine.port ${engine} --metrics.port ${executionMetrics} --sequencer.rpc ${facts.l2.rpcUrl}`,
    CONSENSUS_OPTIONS: `--engine.url http://127.0.0.1:${engine} --rpc.port ${rpc} --metrics.port ${consensusMetrics} --p2p.host 127.0.0.1 --p2p.port ${p2p} --p2p.peers ${peer}`,
    VALIDATOR_OPTIONS: `--metrics.port ${dutyMetrics}`,
    STAKE: '1500',
    OWNER_KEY_FILE: keyFile('owner.hex', 1),
    FEES_KEY_FILE: keyFile('fees.hex', 2),
  }
}

const filesOf = (folder: string, ending: string) => readdirSync(folder).filter((name) => name.endsWith(ending))

function lastLogLines(folder: string): string {
  return filesOf(folder, '.log')
    .map((name) => `\n${name}:\n${readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n')}`)
    .join('')
}

function endRoles(folder: string): void {
  for (const name of filesOf(folder, '.pid')) {
    try {
      process.kill(Number(readFileSync(join(folder, name), 'utf8')), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
    rmSync(join(folder, name))
  }
}

describe('the reader of a runbook', () => {
  const fenced = (word: string, text: string) => `${'`'.repeat(3)}${word}\n${text}\n${'`'.repeat(3)}\n`

  it('reads what runs, what it must print, and which settings it needs', () => {
    const page = `# Page\n${fenced('sh settings', 'RPC=http://here   # where')}${fenced('sh', 'npm ci')}${fenced('sh run', 'echo 1')}${fenced('output', 'one...')}`
    assert.deepEqual(readRunbook(page), [
      { kind: 'settings', line: 2, names: ['RPC'] },
      { kind: 'run', line: 8, text: 'echo 1\n', expected: ['one...'] },
    ])
  })

  it('refuses a block of an unknown kind, and an output that nothing prints', () => {
    assert.throws(() => readRunbook(fenced('bash', 'echo 1')), /"bash" is not one of/)
    assert.throws(() => readRunbook(fenced('output', '1')), /no block runs before this output/)
    assert.throws(() => readRunbook(fenced('sh run', 'echo 1') + fenced('sh', 'echo 2') + fenced('output', '2')), /no block runs before/)
  })

  it('finds the expected lines in their order, with ... for anything within a line', () => {
    const output = 'wrote keys/0x12.json\n  mode 600 (ok)\nready\n'
    assert.equal(missingLine(['wrote .../0x....json', 'mode 600 (ok)', 'ready'], output), null)
    assert.equal(missingLine(['ready', 'wrote ...'], output), 'wrote ...')
    assert.equal(missingLine(['mode 6'], output), 'mode 6')
  })
})

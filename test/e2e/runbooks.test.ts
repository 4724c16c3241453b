import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { missingLine, readRunbook } from '../support/runbook-page.ts'
import { openRunbookShell, type RunbookShell } from '../support/runbook-shell.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const PAGES = new URL('../../config/runbooks/', import.meta.url)
const README = readFileSync(new URL('README.md', PAGES), 'utf8')
const ORDER = [...README.matchAll(/^\| \[[\w-]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name as string)

describe('the runbooks', () => {
  let devnet: DevnetProcess
  let shell: RunbookShell
  let settings: Readonly<Record<string, string>>

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET)
    const folder = join(devnet.folder, 'operator')
    mkdirSync(folder)
    shell = openRunbookShell(folder, {})
    settings = settingsOf(devnet)
  })
  after(async () => {
    await shell?.close()
    await devnet?.remove()
  })

  it('are all in the table of the README', () => {
    const pages = readdirSync(PAGES).filter((name) => name.endsWith('.md') && name !== 'README.md')
    assert.deepEqual([...ORDER].sort(), pages.sort())
  })

  for (const name of ORDER) {
    it(`work as written: ${name}`, async () => {
      for (const block of readRunbook(readFileSync(new URL(name, PAGES), 'utf8'))) {
        if (block.kind === 'settings') await setAll(block.names)
        else {
          const output = await shell.run(block.text).catch((error: Error) => {
            throw new Error(`${name}, line ${block.line}: ${error.message}`)
          })
          const missing = missingLine(block.expected, output)
          assert.equal(missing, null, `${name}, line ${block.line}: "${missing}" is not in what was printed:\n${output}`)
        }
      }
    })
  }

  async function setAll(names: readonly string[]): Promise<void> {
    const lines = names.map((name) => {
      assert.ok(name in settings, `the test has no value for ${name}`)
      return `${name}='${settings[name]}'\n`
    })
    await shell.run(lines.join(''))
  }
})

function settingsOf({ facts }: DevnetProcess): Readonly<Record<string, string>> {
  const origin = (url: string) => new URL(url).origin
  return {
    RPC: facts.l2.rpcUrl,
    ROLLUP_RPC: facts.l2.rollupRpcUrl,
    EXECUTION: origin(facts.metrics.execution),
    CONSENSUS: origin(facts.metrics.consensus),
    L1_RPC: facts.l1.rpcUrl,
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

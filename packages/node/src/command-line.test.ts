import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT_BROKEN_PIPE } from './broken-pipe.ts'

const PROGRAM = [`--import=${import.meta.resolve('tsx')}`, join(import.meta.dirname, 'main.ts')]

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [...PROGRAM, ...args], { encoding: 'utf8', env: { ...process.env, ...env } })
}

describe('the command line', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-command-line-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('ends quietly when nobody reads on, as in doctor | head -1', async () => {
    const child = spawn(process.execPath, [...PROGRAM, 'doctor', '--network', folder], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    // Before the first line, because a busy machine may deliver all of them at once.
    child.stdout.destroy()
    assert.deepEqual([...(await once(child, 'close')), stderr], [EXIT_BROKEN_PIPE, null, ''])
  })

  it('doctor --devnet without a folder looks for the usual one, and says what to name when nothing runs', () => {
    const { status, stderr } = spawnSync(process.execPath, [...PROGRAM, 'doctor', '--devnet'], { encoding: 'utf8', cwd: folder })
    assert.equal(status, 1)
    assert.match(
      stderr,
      /no development network runs in .*\.keelson\/devnet: start it with npm start, or name its folder with --devnet FOLDER/,
    )
    assert.match(run(['doctor']).stderr, /name what to look at: --network NETWORK, or --devnet/)
  })

  it('says the form of a key that is none, and repeats nothing of it', () => {
    const { status, stderr } = run(['batcher', '--data-dir', folder], { KEELSON_PRIVATE_KEY: 'nothex' })
    assert.equal(status, 1)
    assert.match(stderr, /KEELSON_PRIVATE_KEY: expected a private key: 32 bytes as 64 hex digits, with or without 0x/)
    assert.doesNotMatch(stderr, /nothex/)
  })

  it('warns of a secret file that others can read, as jwt FILE finds it', () => {
    const file = join(folder, 'jwt.hex')
    writeFileSync(file, '11'.repeat(32), { mode: 0o644 })
    const open = run(['jwt', file])
    assert.equal(open.status, 0)
    assert.match(open.stderr, /others can read the JWT secret .*jwt\.hex \(mode 644\): chmod 600/)
    chmodSync(file, 0o600)
    assert.equal(run(['jwt', file]).stderr, '')
  })

  it('takes a public network by its name, and prints where each value and the chain come from', () => {
    const given = ['execution', '--network', 'op-sepolia', '--data-dir', folder, '--http.port', '9', '--print-config']
    const { status, stdout } = run(given, { KEELSON_WS_PORT: '10' })
    assert.equal(status, 0)
    for (const line of [
      /^network +op-sepolia \(.*\/config\/networks\/op-sepolia\) +flag$/m,
      /^http\.port +9 +flag$/m,
      /^ws\.port +10 +environment$/m,
      /^sequencer\.rpc +https:\/\/sepolia-sequencer\.optimism\.io +network$/m,
      /^engine\.port +8551 +default$/m,
      /^chain id +11155420$/m,
      /^L1 +sepolia, chain 11155111$/m,
      /^karst +1781712001 /m,
    ])
      assert.match(stdout, line)
  })

  it('reads presets and files of --config, of which flags, the environment and later files come first', () => {
    const file = join(folder, 'site.json')
    writeFileSync(file, JSON.stringify({ execution: { network: 'op-sepolia', 'rpc.timeout': '3m', 'ws.port': 11, 'http.port': 12 } }))
    const given = ['execution', '--config', 'archive', '--config', file, '--http.port', '9', '--print-config']
    const { status, stdout, stderr } = run(given, { KEELSON_WS_PORT: '10' })
    assert.deepEqual([status, stderr], [0, ''])
    for (const line of [
      /^state\.mode +archive +file .*config\/roles\/archive\.json$/m,
      /^rpc\.timeout +3m +file .*site\.json$/m,
      /^network +op-sepolia .* +file .*site\.json$/m,
      /^sequencer\.rpc +https:\/\/sepolia-sequencer\.optimism\.io +network$/m,
      /^ws\.port +10 +environment$/m,
      /^http\.port +9 +flag$/m,
    ])
      assert.match(stdout, line)
  })

  it('refuses a misspelt key of a configuration file, and suggests the right one', () => {
    const file = join(folder, 'misspelt.json')
    writeFileSync(file, JSON.stringify({ execution: { 'http.prot': 1 } }))
    const { status, stderr } = run(['execution', '--config', file, '--print-config'])
    assert.equal(status, 1)
    assert.match(stderr, /unknown key "http\.prot" in .*misspelt\.json; did you mean http\.port\?/)
  })

  it('keeps transactions to itself on a public network with --sequencer.rpc none', () => {
    const given = ['execution', '--network', 'op-sepolia', '--data-dir', folder, '--sequencer.rpc', 'none', '--print-config']
    assert.match(run(given).stdout, /^sequencer\.rpc +flag$/m)
  })

  it('lists the public networks, and shows one or what comes close to its name', () => {
    const list = run(['network', 'list'])
    assert.match(list.stdout, /^op-sepolia +11155420 +sepolia +\S+ +.* genesis$/m)
    assert.match(list.stdout, /^op-mainnet +10 +mainnet .*snapshot of another node$/m)
    assert.match(run(['network', 'show', 'zora-mainnet']).stdout, /^chain id +7777777$/m)
    const unknown = run(['network', 'show', 'zora'])
    assert.equal(unknown.status, 1)
    assert.match(unknown.stderr, /no network has the name "zora"; did you mean zora-mainnet or zora-sepolia\? the networks are /)
  })

  it('hints at commands that can be typed: nothing puts keelson of a checkout on PATH', () => {
    const { stderr } = run(['jwt'])
    assert.match(stderr, /give the path of the secret file: npx keelson jwt FILE/)
  })

  it('devnet status --json prints one document, of a network that does not run too', () => {
    const { status, stdout } = run(['devnet', 'status', '--json', '--data-dir', folder])
    assert.equal(status, 1)
    const { running, ready, roles } = JSON.parse(stdout) as { running: boolean; ready: boolean; roles: unknown[] }
    assert.deepEqual({ running, ready, roles }, { running: false, ready: false, roles: [] })
  })
})

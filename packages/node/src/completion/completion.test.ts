import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { COMMANDS } from '../commands/all-commands.ts'
import { type CommandWords, readCommandWords } from './command-words.ts'
import { completionScript, SHELLS } from './scripts.ts'

describe('shell completion', () => {
  let commands: readonly CommandWords[]
  before(async () => {
    commands = await readCommandWords(COMMANDS)
  })
  const at = (path: string) => commands.find((command) => command.path === path)

  /** What bash would offer for a line, of which the last word is being typed. */
  const inBash = (line: string): readonly string[] => {
    const words = line.split(' ')
    const quoted = ['keelson', ...words].map((word) => `'${word}'`).join(' ')
    const script = `${completionScript('bash', commands)}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _keelson; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
    return stdout.split('\n').filter((word) => word !== '')
  }

  it('knows every command, and every option with its value', () => {
    assert.deepEqual(
      at('')?.subcommands.map(({ name }) => name),
      Object.keys(COMMANDS),
    )
    assert.ok(at('devnet')?.subcommands.some(({ name }) => name === 'snapshot'))
    const flag = (path: string, name: string) => at(path)?.flags.find((entry) => entry.flag === name)
    assert.equal(flag('devnet', '--mnemonic')?.takesValue, true)
    assert.equal(flag('devnet', '--fresh')?.takesValue, false)
    assert.equal(flag('devnet logs', '-f')?.takesValue, false)
    assert.equal(flag('execution', '--data-dir')?.takesPath, true)
    assert.ok(at('bridge deposit'))
  })

  it('of bash offers commands, actions and options of the command in the line', () => {
    assert.deepEqual(inBash('dev'), ['devnet'])
    assert.deepEqual(inBash('devnet sn'), ['snapshot'])
    assert.deepEqual(inBash('devnet logs --fo'), ['--follow'])
    assert.deepEqual(inBash('devnet logs --data-dir x --li'), ['--lines'])
    assert.deepEqual(inBash('bridge dep'), ['deposit'])
    assert.deepEqual(inBash('execution --http.po'), ['--http.port'])
    assert.deepEqual(inBash('execution --http.port '), [], 'a number is to be typed')
    assert.ok(inBash('execution --data-dir packa').includes('packages'), 'names of files')
  })

  it('has a line for every option in each shell, and quotes that are closed', () => {
    for (const shell of SHELLS) {
      const script = completionScript(shell, commands)
      for (const { flags } of commands)
        for (const { flag } of flags) assert.ok(script.includes(flag.replace(/^--?/, '')), `${shell}: ${flag}`)
      for (const line of script.split('\n')) assert.equal((line.match(/'/g) ?? []).length % 2, 0, `${shell}: ${line.slice(0, 200)}`)
    }
  })
})

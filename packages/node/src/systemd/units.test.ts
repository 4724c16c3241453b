/** The units in config/systemd. systemd-analyze judges them where it is installed; the rest is judged everywhere. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFlags, resolveGivenOptions } from '@keelson/runtime'
import { type Command, findSubcommand, isCommandGroup } from '../command.ts'
import { COMMANDS } from '../commands/all-commands.ts'
import { VALIDATOR_FINAL_EXITS } from '../commands/validator/run/final-exits.ts'
import { configFlag } from '../config-files/config-flag.ts'
import { readUnit, type Unit } from './unit.test-support.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'config', 'systemd')
const PROGRAM = '/usr/local/bin/keelson'
const COMMON = join(FOLDER, 'keelson-.service.d', '10-common.conf')
const ANALYZE = 'systemd-analyze'
/** Highest allowed exposure, on systemd's scale up to 10; below 2 it says OK. */
const MOST_EXPOSURE = 2

const names = readdirSync(FOLDER).filter((file) => file.endsWith('.service'))
const read = (name: string): Unit => readUnit(readFileSync(join(FOLDER, name), 'utf8'))
const valuesOf = (unit: Unit, key: string): readonly string[] => unit.get(`Service.${key}`) ?? []

async function commandOf(line: string): Promise<{ readonly command: Command; readonly rest: readonly string[] }> {
  const [program, name = '', ...words] = line.split(/\s+/)
  assert.equal(program, PROGRAM)
  const load = COMMANDS[name]
  assert.ok(load !== undefined, `there is no command ${name}`)
  const loaded = await load()
  if (!isCommandGroup(loaded)) return { command: loaded, rest: words }
  const found = await findSubcommand(loaded, words)
  assert.ok('command' in found)
  return found
}

describe('systemd units', () => {
  const common = readUnit(readFileSync(COMMON, 'utf8'))

  for (const name of names) {
    it(`${name}: the command exists, and takes the options and variables that it is given`, async () => {
      const unit = read(name)
      const [line = '', ...more] = valuesOf(unit, 'ExecStart')
      assert.deepEqual(more, [])
      const { command, rest } = await commandOf(line)
      const { flags, positional } = parseFlags(rest, { ...command.options, configFlag })
      assert.deepEqual(positional, [])
      const { config, ...others } = flags
      assert.equal(config, '/etc/keelson/keelson.json')
      resolveGivenOptions(command.options, { flags: others })
      const secrets = new Set(Object.values(command.options).flatMap(({ env, secret }) => (secret ? [`${env}_FILE`] : [])))
      for (const variable of valuesOf(unit, 'Environment'))
        assert.ok(secrets.has(variable.split('=')[0] as string), `${variable}: no secret option of this command`)
    })

    it(`${name}: every credential in the command line or the environment is loaded, and every loaded one is used`, () => {
      const unit = read(name)
      const text = [...valuesOf(unit, 'ExecStart'), ...valuesOf(unit, 'Environment')].join(' ')
      const used = [...text.matchAll(/(?:\$\{CREDENTIALS_DIRECTORY\}|%d)\/([\w.]+)/g)].map(([, id]) => id as string)
      const loaded = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0] as string)
      assert.deepEqual([...used].sort(), [...loaded].sort())
      assert.equal(/\$\{STATE_DIRECTORY\}|\/var\/lib\/keelson-validator\//.test(text), valuesOf(unit, 'StateDirectory').length > 0)
    })
  }

  it('restart after a failure, but the validator not after a code that says it must not sign', () => {
    assert.deepEqual(common.get('Service.Restart'), ['on-failure'])
    const prevented = valuesOf(read('keelson-validator.service'), 'RestartPreventExitStatus').join(' ').split(' ').map(Number)
    assert.deepEqual(prevented, Object.keys(VALIDATOR_FINAL_EXITS).map(Number))
    for (const name of names) assert.equal(read(name).has('Service.Restart'), false, name)
  })

  it('run without root, without new privileges, on a read-only system', () => {
    for (const [key, value] of Object.entries({
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      CapabilityBoundingSet: '',
      PrivateDevices: 'yes',
    }))
      assert.deepEqual(common.get(`Service.${key}`), [value], key)
    for (const name of names) {
      const unit = read(name)
      const user = valuesOf(unit, 'User')
      assert.ok(unit.get('Service.DynamicUser')?.[0] === 'yes' || (user.length === 1 && user[0] !== 'root'), name)
    }
  })

  it('are as systemd-analyze wants them, where it is installed', () => {
    const version = spawnSync(ANALYZE, ['--version'], { encoding: 'utf8' })
    if (version.error !== undefined) {
      console.log('      not judged here, because systemd-analyze is not installed: the names and values of directives, and the exposure')
      assert.equal((version.error as NodeJS.ErrnoException).code, 'ENOENT')
      return
    }
    const folder = mkdtempSync(join(tmpdir(), 'keelson-units-'))
    try {
      cpSync(FOLDER, folder, { recursive: true })
      const program = join(folder, 'keelson')
      writeFileSync(program, '#!/bin/sh\n')
      chmodSync(program, 0o755)
      for (const name of names) {
        const unit = join(folder, name)
        writeFileSync(unit, readFileSync(unit, 'utf8').replace(PROGRAM, program))
        const verified = spawnSync(ANALYZE, ['verify', unit], { encoding: 'utf8' })
        assert.deepEqual([verified.status, verified.stdout + verified.stderr], [0, ''], name)
        const rated = spawnSync(ANALYZE, ['security', '--offline=true', '--no-pager', unit], { encoding: 'utf8' })
        const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(rated.stdout) ?? []
        assert.ok(Number(exposure) < MOST_EXPOSURE, `${name}: exposure ${exposure}`)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OptionDefinition, resolveGivenOptions } from '@keelson/runtime'
import { Ajv, type ValidateFunction } from 'ajv'
import { COMMANDS } from '../../packages/node/src/commands/all-commands.ts'
import { listRoles, rolesFolder } from '../../packages/node/src/config-files/roles.ts'
import { type ListedCommand, listCommands } from './list-commands.ts'
import { configSchema, fileForm } from './schema.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** JSON values of every type, within and beyond the limits of ports, ratios and sizes. */
const PROBES = [
  true,
  false,
  null,
  -1,
  0,
  1,
  3,
  1.5,
  70_000,
  2 ** 40,
  '',
  'x',
  '-1',
  '7',
  '30s',
  '16GiB',
  '0xab',
  'http://h:1',
  'wss://h',
  [],
  ['x'],
  {},
]
/** Parsers whose schema gives every limit of a value that is no text. */
const EXACT_TYPES = new Set<unknown>(['boolean', 'integer', 'number'])

interface Definition {
  readonly at: string
  readonly definition: OptionDefinition<unknown>
}

describe('the schema of configuration files', () => {
  let commands: readonly ListedCommand[]
  let definitions: readonly Definition[]
  let valid: ValidateFunction
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true })
  before(async () => {
    commands = await listCommands(COMMANDS)
    definitions = commands.flatMap(({ path, options }) =>
      Object.values(options).map((definition) => ({ at: `${path} ${definition.key}`, definition })),
    )
    valid = ajv.compile(configSchema(commands))
  })

  const accepts = ({ parse }: OptionDefinition<unknown>, value: unknown): boolean => {
    try {
      parse(value)
      return true
    } catch {
      return false
    }
  }

  it('accepts every default, which the program reads as the same value', () => {
    for (const { at, definition } of definitions) {
      const written = fileForm(definition)
      if (written === undefined) continue
      assert.ok(ajv.validate(definition.parse.schema, written), `${at}: ${JSON.stringify(written)}`)
      assert.deepEqual(definition.parse(written), definition.default, at)
    }
  })

  it('accepts no switch, whole number or number that the program refuses', () => {
    const exact = definitions.filter(({ definition }) => EXACT_TYPES.has(definition.parse.schema.type))
    assert.ok(exact.length > 100)
    // These add a rule of their own: a divisor of an hour, a power of two, an id that no public chain has.
    const narrower = new Set(['blockTime', 'scryptN', 'chainId'])
    for (const { at, definition } of exact.filter(({ definition }) => !narrower.has(definition.key)))
      for (const probe of PROBES)
        if (ajv.validate(definition.parse.schema, probe)) assert.ok(accepts(definition, probe), `${at}: ${JSON.stringify(probe)}`)
  })

  it('refuses numbers out of range, choices that do not exist and lists that are none, as the program does', () => {
    const mistakes: readonly [string, string, unknown][] = [
      ['execution', 'http.port', 70_000],
      ['execution', 'state.mode', 'light'],
      ['execution', 'http.api', ['eth', 'nosuch']],
      ['execution', 'state.window', 7],
      ['consensus', 'engine.url', 'ftp://h'],
      ['devnet', 'p2p', 'maybe'],
    ]
    for (const [section, key, value] of mistakes) {
      assert.equal(valid({ [section]: { [key]: value } }), false, `${section} ${key}`)
      const { options } = commands.find(({ path }) => path === section) as ListedCommand
      assert.throws(() => resolveGivenOptions(options, { files: [{ path: 'f', values: { [key]: value } }] }), { code: 'runtime/options' })
    }
  })

  it('refuses sections and keys that do not exist', () => {
    assert.equal(valid({ $schema: 'x', execution: { 'http.port': 1 }, 'validator run': {} }), true)
    assert.equal(valid({ exection: {} }), false)
    assert.equal(valid({ execution: { 'http.prot': 1 } }), false)
  })

  for (const role of listRoles(ROOT)) {
    it(`accepts the preset ${role}, and so do the commands that it names`, () => {
      const sections = JSON.parse(readFileSync(join(rolesFolder(ROOT), `${role}.json`), 'utf8')) as Record<string, Record<string, unknown>>
      assert.ok(valid(sections), JSON.stringify(valid.errors))
      const names = Object.keys(sections).filter((name) => name !== '$schema')
      assert.ok(names.length > 0)
      for (const name of names) {
        const { options } = commands.find(({ path }) => path === name) as ListedCommand
        const values = sections[name] as Record<string, unknown>
        const { effective } = resolveGivenOptions(options, { files: [{ path: role, values }] })
        const fromFile = effective.filter(({ source }) => source === `file ${role}`).map(({ key }) => key)
        assert.deepEqual(new Set(fromFile), new Set(Object.keys(values)))
      }
    })
  }
})

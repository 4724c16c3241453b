/** Never reads passwords from the command line, which other users can see. */
import type { ReadStream, WriteStream } from 'node:tty'
import { option, optionalOption, optionParsers as parse, Secret } from '@keelson/runtime'
import { type DerivationChoice, readSecretFile } from '@keelson/validator'
import { AssemblyError } from '../../errors.ts'

export const passwordOption = optionalOption({
  key: 'passwordFile',
  flag: 'password-file',
  parse: parse.path,
  description: 'File (mode 600) whose first line is the password of the key; asked for on the terminal without.',
})

export const newPasswordOption = optionalOption({
  key: 'newPasswordFile',
  flag: 'new-password-file',
  parse: parse.path,
  description: 'File (mode 600) whose first line is the new password; asked for on the terminal without.',
})

export const scryptOption = option({
  key: 'scryptN',
  flag: 'scrypt-n',
  parse: Object.assign(
    (value: unknown) => {
      const n = parse.integer(2 ** 12, 2 ** 20)(value)
      if (Number.isInteger(Math.log2(n))) return n
      throw new parse.OptionValueError(`expected a power of two, got ${n}`)
    },
    { placeholder: '<number>', schema: parse.integer(2 ** 12, 2 ** 20).schema },
  ),
  default: 2 ** 18,
  description: 'Work for each guess of the password of the file that is written, in KiB of memory; less for a small machine.',
})

export function derivationOf(n: number): DerivationChoice {
  return { function: 'scrypt', n, r: 8, p: 1 }
}

export interface Terminal {
  readonly input: Pick<ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause' | 'setEncoding'>
  readonly output: Pick<WriteStream, 'write'>
}

export interface PasswordRequest {
  readonly file: string | null
  readonly what: string
  readonly isNew: boolean
}

const MAX_BYTES = 4096
const MIN_LENGTH = 8
const ENTER = new Set(['\r', '\n', '\u0004'])
const INTERRUPT = '\u0003'
const ERASE = new Set(['\u007f', '\b'])

export const PROCESS_TERMINAL: Terminal = { input: process.stdin, output: process.stderr }

/** Throws AssemblyError `node/usage`, ValidatorError `consensus/validator-key` for a file that others can read. */
export async function readPassword({ file, what, isNew }: PasswordRequest, terminal: Terminal = PROCESS_TERMINAL): Promise<Secret<string>> {
  const password = file === null ? await ask(`${what}: `, terminal) : firstLine(await readSecretFile(file, MAX_BYTES))
  if (isNew && [...password].length < MIN_LENGTH) {
    throw new AssemblyError('node/usage', `the ${what} has fewer than ${MIN_LENGTH} characters; take a longer one`)
  }
  if (isNew && file === null && (await ask(`${what}, again: `, terminal)) !== password) {
    throw new AssemblyError('node/usage', 'the two passwords differ; nothing was changed')
  }
  return new Secret(password)
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] as string
}

async function ask(prompt: string, { input, output }: Terminal): Promise<string> {
  if (!input.isTTY) {
    throw new AssemblyError('node/usage', `there is no terminal to ask for the password on; give --${passwordOption.flag} FILE`)
  }
  output.write(prompt)
  input.setRawMode(true)
  input.setEncoding('utf8')
  input.resume()
  let typed: string[] = []
  try {
    return await new Promise<string>((resolve, reject) => {
      const onData = (chunk: unknown) => {
        for (const character of String(chunk)) {
          if (character === INTERRUPT) return done(() => reject(new AssemblyError('node/interrupted', 'interrupted; nothing was changed')))
          if (ENTER.has(character)) return done(() => resolve(typed.join('')))
          if (ERASE.has(character)) typed = typed.slice(0, -1)
          else if (typed.length < MAX_BYTES) typed.push(character)
        }
      }
      const done = (settle: () => void) => {
        input.off('data', onData)
        settle()
      }
      input.on('data', onData)
    })
  } finally {
    input.setRawMode(false)
    input.pause()
    output.write('\n')
  }
}

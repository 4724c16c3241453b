/** One request per input line, one response per output line. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'

export interface JudgeHello {
  readonly name: string
  readonly kinds: readonly string[]
  readonly forks: readonly string[]
}

export interface Judge {
  readonly hello: JudgeHello
  ask(requests: readonly string[]): Promise<readonly (readonly string[])[]>
  close(): void
}

const SILENCE_LIMIT_MS = 120_000
const KEPT_STDERR_CHARACTERS = 2_000
const SHOWN_REQUEST_CHARACTERS = 400

export async function startJudge(path: string): Promise<Judge> {
  try {
    accessSync(path, constants.X_OK)
  } catch (error) {
    throw new Error(`--judge ${path}: expected a program that can be run (${(error as Error).message})`)
  }
  const lines = new JudgeLines(path)
  const [greeting] = await lines.ask(['hello'])
  const hello = readHello(path, greeting as string)
  return {
    hello,
    async ask(requests) {
      const answers = await lines.ask(requests)
      return answers.map((answer, i) => readAnswer(path, answer, requests[i] as string))
    },
    close: () => lines.close(),
  }
}

function readHello(path: string, line: string): JudgeHello {
  const hello = parse(path, line, 'hello') as Partial<JudgeHello> | null
  const isText = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === 'string')
  if (typeof hello?.name === 'string' && isText(hello.kinds) && isText(hello.forks)) return hello as JudgeHello
  throw new Error(`judge ${path}: expected name, kinds and forks in answer to hello, got ${line.slice(0, SHOWN_REQUEST_CHARACTERS)}`)
}

function readAnswer(path: string, line: string, request: string): readonly string[] {
  const answer = parse(path, line, request)
  if (Array.isArray(answer) && answer.every((item) => typeof item === 'string')) return answer
  throw new Error(`judge ${path}: expected a JSON array of strings, got ${line.slice(0, SHOWN_REQUEST_CHARACTERS)}`)
}

function parse(path: string, line: string, request: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    const shown = request.slice(0, SHOWN_REQUEST_CHARACTERS)
    throw new Error(`judge ${path}: expected a line of JSON, got ${line.slice(0, SHOWN_REQUEST_CHARACTERS)} in answer to ${shown}`)
  }
}

interface Waiting {
  readonly requests: readonly string[]
  readonly answers: string[]
  resolve(answers: readonly string[]): void
  reject(error: Error): void
}

class JudgeLines {
  readonly #path: string
  readonly #process: ChildProcessWithoutNullStreams
  #waiting: Waiting | null = null
  #end: string | null = null
  #partial: string[] = []
  #lastWords = ''
  #silence: NodeJS.Timeout | null = null

  constructor(path: string) {
    this.#path = path
    this.#process = spawn(path, [], { stdio: 'pipe' })
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text))
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-KEPT_STDERR_CHARACTERS)
    })
    this.#process.stdin.on('error', (error) => this.#fail(`cannot be written to: ${error.message}`))
    this.#process.on('error', (error) => this.#fail(`cannot be started: ${error.message}`))
    this.#process.on('close', (code, signal) => this.#fail(`ended with ${code === null ? `signal ${signal}` : `code ${code}`}`))
  }

  ask(requests: readonly string[]): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#waiting = { requests, answers: [], resolve, reject }
      if (this.#end !== null) {
        this.#fail(this.#end)
        return
      }
      this.#listen()
      this.#process.stdin.write(requests.map((request) => `${request}\n`).join(''))
    })
  }

  close(): void {
    this.#end = 'was closed'
    this.#process.stdin.end()
    this.#process.kill()
  }

  #listen(): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      this.#fail(`has not answered for ${SILENCE_LIMIT_MS / 1000} s`)
      this.#process.kill()
    }, SILENCE_LIMIT_MS)
  }

  #receive(text: string): void {
    const parts = text.split('\n')
    this.#partial.push(parts[0] as string)
    for (const part of parts.slice(1)) {
      const line = this.#partial.join('')
      this.#partial = [part]
      this.#waiting?.answers.push(line)
    }
    const waiting = this.#waiting
    if (waiting === null) return
    if (waiting.answers.length < waiting.requests.length) {
      this.#listen()
      return
    }
    this.#settle()
    waiting.resolve(waiting.answers)
  }

  #settle(): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    this.#silence = null
    this.#waiting = null
  }

  #fail(what: string): void {
    this.#end ??= what
    const waiting = this.#waiting
    if (waiting === null) return
    this.#settle()
    const request = waiting.requests[waiting.answers.length]?.slice(0, SHOWN_REQUEST_CHARACTERS) ?? 'nothing'
    const words = this.#lastWords === '' ? '' : `\nits last words:\n${this.#lastWords}`
    waiting.reject(new Error(`judge ${this.#path} ${what}; the first request without an answer: ${request}${words}`))
  }
}

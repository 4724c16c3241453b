import { ByteWriter } from './byte-writer.ts'
import { ValueType } from './instructions.ts'

export interface Signature {
  readonly parameters: readonly ValueType[]
  readonly results: readonly ValueType[]
}

const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const FUNCTION_TYPE = 0x60
const Section = { type: 1, import: 2, function: 3, export: 7, code: 10, data: 11 } as const
const Kind = { function: 0, memory: 2, global: 3 } as const

/** Function indexes follow call order, imports first. */
export class ModuleWriter {
  private readonly signatures: Signature[] = []
  private readonly imports = new ByteWriter()
  private importCount = 0
  private importedFunctions = 0
  private readonly own: { signature: number; body: Uint8Array }[] = []
  private readonly exports = new ByteWriter()
  private exportCount = 0
  private readonly segments: { global: number; content: Uint8Array }[] = []

  constructor(private readonly importModule: string) {}

  importMemory(name: string): void {
    this.importEntry(name, Kind.memory)
    this.imports.raw([0, 1])
  }

  importI32(name: string): void {
    this.importEntry(name, Kind.global)
    this.imports.raw([ValueType.i32, 0])
  }

  importFunction(name: string, signature: Signature): number {
    if (this.own.length > 0) throw new RangeError(`import ${name} comes after an own function; imports come first`)
    this.importEntry(name, Kind.function)
    this.imports.unsigned(this.signatureIndex(signature))
    return this.importedFunctions++
  }

  addFunction(signature: Signature, body: Uint8Array): number {
    this.own.push({ signature: this.signatureIndex(signature), body })
    return this.importedFunctions + this.own.length - 1
  }

  exportFunction(name: string, index: number): void {
    this.exports.text(name)
    this.exports.byte(Kind.function)
    this.exports.unsigned(index)
    this.exportCount++
  }

  /** Writes `content` on instantiation to the imported global's address. */
  addData(global: number, content: Uint8Array): void {
    this.segments.push({ global, content })
  }

  finish(): Uint8Array {
    const out = new ByteWriter(4096)
    out.raw(PREAMBLE)
    section(out, Section.type, this.signatures.length, (content) => {
      for (const { parameters, results } of this.signatures) {
        content.byte(FUNCTION_TYPE)
        content.vector(parameters)
        content.vector(results)
      }
    })
    section(out, Section.import, this.importCount, (content) => content.raw(this.imports.written()))
    section(out, Section.function, this.own.length, (content) => {
      for (const { signature } of this.own) content.unsigned(signature)
    })
    section(out, Section.export, this.exportCount, (content) => content.raw(this.exports.written()))
    section(out, Section.code, this.own.length, (content) => {
      for (const { body } of this.own) content.vector(body)
    })
    section(out, Section.data, this.segments.length, (content) => {
      for (const segment of this.segments) {
        content.raw([0, 0x23])
        content.unsigned(segment.global)
        content.byte(0x0b)
        content.vector(segment.content)
      }
    })
    return out.written().slice()
  }

  private importEntry(name: string, kind: number): void {
    this.imports.text(this.importModule)
    this.imports.text(name)
    this.imports.byte(kind)
    this.importCount++
  }

  private signatureIndex(wanted: Signature): number {
    const same = (left: readonly ValueType[], right: readonly ValueType[]) => left.join() === right.join()
    const index = this.signatures.findIndex((s) => same(s.parameters, wanted.parameters) && same(s.results, wanted.results))
    return index >= 0 ? index : this.signatures.push(wanted) - 1
  }
}

function section(out: ByteWriter, id: number, count: number, write: (content: ByteWriter) => void): void {
  if (count === 0) return
  const content = new ByteWriter()
  content.unsigned(count)
  write(content)
  out.byte(id)
  out.vector(content.written())
}

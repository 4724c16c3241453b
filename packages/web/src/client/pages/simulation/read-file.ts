import { RECORDING_LIMITS, type Recording, RecordingReader } from '../../../shared/recording/index.ts'

const MEGABYTE = 1024 * 1024

/** Throws an Error whose message is for the reader of the page. */
export async function readFile(file: Pick<File, 'size' | 'stream'>): Promise<Recording> {
  if (file.size > RECORDING_LIMITS.bytes) {
    const [size, most] = [file.size, RECORDING_LIMITS.bytes].map((bytes) => Math.ceil(bytes / MEGABYTE))
    throw new Error(`The file has ${size} MB; a recording has at most ${most} MB.`)
  }
  const reader = new RecordingReader()
  const decoder = new TextDecoder()
  const chunks = file.stream().getReader()
  try {
    for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read())
      reader.push(decoder.decode(chunk.value, { stream: true }))
  } finally {
    void chunks.cancel()
  }
  reader.push(decoder.decode())
  return reader.end()
}

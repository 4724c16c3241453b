/** Certificates for 127.0.0.1, made by openssl. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

export function hasOpenssl(): boolean {
  return spawnSync('openssl', ['version']).status === 0
}

/** Writes a certificate authority and certificates that it signed, for servers and clients. Returns paths; the first is the CA's. */
export function createCertificates(folder: string, names: readonly string[]): readonly [CertificateFiles, ...CertificateFiles[]] {
  const create = (name: string, ...more: readonly string[]): CertificateFiles => {
    const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) }
    const { status, stderr } = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-keyout', files.key, '-out', files.cert, ...more],
    ])
    if (status !== 0) throw new Error(`openssl: ${stderr.toString()}`)
    return files
  }
  const ca = create('ca')
  const usage = ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'extendedKeyUsage=serverAuth,clientAuth']
  return [ca, ...names.map((name) => create(name, '-CA', ca.cert, '-CAkey', ca.key, ...usage))]
}

export function readCertificate({ cert, key }: CertificateFiles): CertificateFiles {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

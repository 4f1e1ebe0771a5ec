// Passwords as scrypt hashes: `scrypt$32768$8$1$<salt>$<key>`, salt and key in base64.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const cost = { N: 2 ** 15, r: 8, p: 1 };
const saltBytes = 16;
const keyBytes = 32;
/** Twice the memory that the cost takes. */
const maxmem = 64 * 1024 * 1024;
const form = /^scrypt\$32768\$8\$1\$([A-Za-z0-9+/]{22}==)\$([A-Za-z0-9+/]{43}=)$/;

/** A new hash of a password. Takes about 60 ms of another thread and 32 MiB. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await derive(password, salt);
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64')}$${key.toString('base64')}`;
}

/** Whether a text is a hash that `hashPassword` made. */
export function isPasswordHash(text: string): boolean {
  return form.test(text);
}

/** Whether the password matches the hash. Takes as long as making a hash. */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const [, salt = '', key = ''] = form.exec(hash) ?? [];
  const given = await derive(password, Buffer.from(salt, 'base64'));
  const wanted = Buffer.from(key, 'base64');
  return wanted.length === given.length && timingSafeEqual(given, wanted);
}

/** Normalizes the password: keyboards compose the same visible text in different ways. */
function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, keyBytes, { ...cost, maxmem }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

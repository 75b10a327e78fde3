"""Checks the arrays of chunks in HDF5 files against the HDF5 File Format Specification, without libhdf5.

`array_faults(path)` reads all extensible and fixed arrays of a file: checksums, owners, statistics, and whether two structures or chunks share
bytes or lie outside the file. The file must have addresses of 8 bytes and no user block.
"""

import pathlib
import struct

NONE = 2**64 - 1


def rotated(x, k):
    return (x << k | x >> (32 - k)) & 0xFFFFFFFF


def lookup3(data):
    """The checksum of HDF5 metadata: Bob Jenkins' `hashlittle` with the initial value 0."""
    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    at, left = 0, len(data)
    while left > 12:
        x, y, z = struct.unpack_from("<III", data, at)
        a, b, c = a + x & 0xFFFFFFFF, b + y & 0xFFFFFFFF, c + z & 0xFFFFFFFF
        a = (a - c & 0xFFFFFFFF) ^ rotated(c, 4)
        c = c + b & 0xFFFFFFFF
        b = (b - a & 0xFFFFFFFF) ^ rotated(a, 6)
        a = a + c & 0xFFFFFFFF
        c = (c - b & 0xFFFFFFFF) ^ rotated(b, 8)
        b = b + a & 0xFFFFFFFF
        a = (a - c & 0xFFFFFFFF) ^ rotated(c, 16)
        c = c + b & 0xFFFFFFFF
        b = (b - a & 0xFFFFFFFF) ^ rotated(a, 19)
        a = a + c & 0xFFFFFFFF
        c = (c - b & 0xFFFFFFFF) ^ rotated(b, 4)
        b = b + a & 0xFFFFFFFF
        at, left = at + 12, left - 12
    if left:
        x, y, z = struct.unpack("<III", data[at:].ljust(12, b"\0"))
        a, b, c = a + x & 0xFFFFFFFF, b + y & 0xFFFFFFFF, c + z & 0xFFFFFFFF
        c = (c ^ b) - rotated(b, 14) & 0xFFFFFFFF
        a = (a ^ c) - rotated(c, 11) & 0xFFFFFFFF
        b = (b ^ a) - rotated(a, 25) & 0xFFFFFFFF
        c = (c ^ b) - rotated(b, 16) & 0xFFFFFFFF
        a = (a ^ c) - rotated(c, 4) & 0xFFFFFFFF
        b = (b ^ a) - rotated(a, 14) & 0xFFFFFFFF
        c = (c ^ b) - rotated(b, 24) & 0xFFFFFFFF
    return c


class Walk:
    """The structures of a file: byte ranges and faults."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        self.ranges, self.faults, self.arrays = [], [], 0

    def claim(self, start, length, what):
        if start + length > len(self.data):
            self.faults.append(f"{what} at {start} beyond the end")
        self.ranges.append((start, start + length, what))

    def block(self, at, length, what):
        """The bytes of a block without the checksum, which is verified."""
        self.claim(at, length, what)
        body, (stored,) = self.data[at:at + length - 4], struct.unpack_from("<I", self.data, at + length - 4)
        if lookup3(body) != stored:
            self.faults.append(f"{what} at {at}: wrong checksum")
        return body

    def owned(self, at, length, signature, header):
        body = self.block(at, length, signature.decode())
        if body[:5] != signature + b"\0" or body[5] != self.data[header + 5] or struct.unpack_from("<Q", body, 6)[0] != header:
            self.faults.append(f"block of another array at {at}")
        return body[14:]

    def elements(self, body, count, size):
        """Claims the chunks of elements. Returns the number of the last element with a chunk, plus 1."""
        last = 0
        for n in range(count):
            (address,) = struct.unpack_from("<Q", body, n * size)
            if address != NONE:
                last = n + 1
                # The array does not have the size of chunks without filters; one byte shows overlaps with metadata.
                stored = int.from_bytes(body[n * size + 8:(n + 1) * size - 4], "little") if size > 8 else 1
                self.claim(address, stored, "chunk")
        return last

    def extensible(self, at):
        head = self.block(at, 72, "EAHD")
        size, bits, direct, smallest, pointers, page_bits = head[6:12]
        statistics = struct.unpack_from("<6Q", head, 12)
        (index,) = struct.unpack_from("<Q", head, 60)
        found = [0, 0, 0, 0, 0, 0]
        width, page = (bits + 7) // 8, 1 << page_bits
        supers = bits - smallest.bit_length() + 2
        inlined = 2 * (pointers.bit_length() - 1)
        if index == NONE:
            return
        blocks = sum(1 << s // 2 for s in range(inlined))
        addresses = blocks + supers - inlined
        body = self.owned(index, 14 + direct * size + 8 * addresses + 4, b"EAIB", at)
        found[5] += direct
        found[4] = self.elements(body, direct, size)
        addresses = struct.unpack_from(f"<{addresses}Q", body, direct * size)
        own, start = iter(addresses[:blocks]), direct
        for s in range(supers):
            count, elements = 1 << s // 2, smallest << (s + 1) // 2
            paged = elements > page
            data, bitmap = [next(own) for _ in range(count)] if s < inlined else [NONE] * count, b""
            if s >= inlined and addresses[blocks + s - inlined] != NONE:
                maps = count * ((elements // page + 7) // 8) if paged else 0
                length = 14 + width + maps + 8 * count + 4
                body = self.owned(addresses[blocks + s - inlined], length, b"EASB", at)
                if int.from_bytes(body[:width], "little") != start - direct:
                    self.faults.append(f"super block {s}: wrong offset")
                bitmap, data = body[width:width + maps], struct.unpack_from(f"<{count}Q", body, width + maps)
                found[0] += 1
                found[1] += length
            for n, block in enumerate(data):
                if block != NONE:
                    first = start + n * elements
                    last, length = self.data_block(block, (elements, page, size, width), at, bitmap, n)
                    found[2] += 1
                    found[3] += length
                    found[4] = max(found[4], first + last) if last else found[4]
                    found[5] += elements
            start += count * elements
        if list(statistics) != found:
            self.faults.append(f"statistics {statistics}, found {found}")

    def data_block(self, at, form, header, bitmap, number):
        """Returns the last element with a chunk, plus 1, and the bytes of the block."""
        elements, page, size, width = form
        head = 14 + width
        if elements <= page:
            body = self.owned(at, head + elements * size + 4, b"EADB", header)
            return self.elements(body[width:], elements, size), head + elements * size + 4
        self.owned(at, head + 4, b"EADB", header)
        pages, last = elements // page, 0
        length = page * size + 4
        for n in range(pages):
            bit = number * pages + n
            place = at + head + 4 + n * length
            if bitmap[bit // 8] & 0x80 >> bit % 8:
                own = self.elements(self.block(place, length, "page"), page, size)
                last = n * page + own if own else last
            else:
                self.claim(place, length, "page")
        return last, head + 4 + pages * length

    def fixed(self, at):
        head = self.block(at, 28, "FAHD")
        size, page = head[6], 1 << head[7]
        count, data = struct.unpack_from("<QQ", head, 8)
        if data == NONE:
            return
        if count <= page:
            self.elements(self.owned(data, 14 + count * size + 4, b"FADB", at), count, size)
            return
        pages = -(-count // page)
        maps = (pages + 7) // 8
        bitmap = self.owned(data, 14 + maps + 4, b"FADB", at)
        place = data + 14 + maps + 4
        for n in range(pages):
            own = min(page, count - n * page)
            if bitmap[n // 8] & 0x80 >> n % 8:
                self.elements(self.block(place, own * size + 4, "page"), own, size)
            else:
                self.claim(place, own * size + 4, "page")
            place += own * size + 4

    def walk(self):
        for signature, method in (b"EAHD", self.extensible), (b"FAHD", self.fixed):
            at = self.data.find(signature)
            while at >= 0:
                length = 72 if signature == b"EAHD" else 28
                if len(self.data) >= at + length and lookup3(self.data[at:at + length - 4]) == struct.unpack_from("<I", self.data, at + length - 4)[0]:
                    self.arrays += 1
                    method(at)
                at = self.data.find(signature, at + 1)
        self.ranges.sort()
        for (_, end, what), (start, _, other) in zip(self.ranges, self.ranges[1:]):
            if end > start:
                self.faults.append(f"{what} and {other} share byte {start}")
        self.superblock()

    def superblock(self):
        if self.data[8] >= 2:
            body = self.block(0, 48, "superblock")
            if struct.unpack_from("<Q", body, 28)[0] != len(self.data):
                self.faults.append("the superblock has another length of the file")


def array_faults(path):
    """Returns the number of arrays of chunks in a file, and their faults."""
    walk = Walk(path)
    walk.walk()
    return walk.arrays, walk.faults

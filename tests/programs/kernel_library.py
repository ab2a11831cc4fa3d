"""Calls the kernels of a library by the table that it exports: core/include/tangram/runtime/kernel_abi.h."""
import ctypes as c

OK, BAD_ARGUMENT, OUT_OF_MEMORY, FAILED, OUT_OF_RANGE = range(5)
TYPES = [None, c.c_bool, c.c_int8, c.c_int16, c.c_int32, c.c_int64, c.c_uint8, c.c_uint16, c.c_uint32, c.c_uint64,
         c.c_float, c.c_double]


class Array(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_uint64 * 4), ("stride", c.c_uint64 * 4)]


class Param(c.Structure):
    _fields_ = [("name", c.c_char_p), ("element", c.c_uint8), ("rank", c.c_uint8), ("access", c.c_uint8)]


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("message", c.c_char * 512)]


class Descriptor(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi", c.c_uint32), ("name", c.c_char_p), ("spectrum", c.c_char_p),
                ("plan", c.c_char_p), ("target", c.c_char_p), ("num_params", c.c_uint32), ("params", c.POINTER(Param)),
                ("invoke", c.CFUNCTYPE(c.c_int, c.POINTER(c.c_void_p), c.POINTER(Error)))]


class Kernel:
    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.plan = descriptor.plan.decode()

    def __call__(self, *arguments):
        """Scalars, lists of numbers, or pairs of a list and the sizes of its dimensions. Status, message, and all
        arguments as lists afterwards."""
        held, pointers = [], []
        for i in range(self.descriptor.num_params):
            param, given = self.descriptor.params[i], arguments[i]
            element = TYPES[param.element]
            if param.rank == 0:
                held.append(element(given))
                pointers.append(c.addressof(held[-1]))
                continue
            values, sizes = given if isinstance(given, tuple) else (given, [len(given)])
            data = (element * max(1, len(values)))(*values)
            strides = [1]
            for size in reversed(sizes[1:]):
                strides.insert(0, strides[0] * size)
            array = Array(c.addressof(data), (c.c_uint64 * 4)(*sizes), (c.c_uint64 * 4)(*strides))
            held.append((data, array))
            pointers.append(c.addressof(array))
        error = Error()
        status = self.descriptor.invoke((c.c_void_p * len(pointers))(*pointers), error)
        after = [h[0][:] if isinstance(h, tuple) else h.value for h in held]
        return status, error.message.decode(), after


def kernels(path):
    library = c.CDLL(str(path))
    count = c.c_uint32()
    library.tangram_kernel_table.restype = c.POINTER(c.POINTER(Descriptor))
    table = library.tangram_kernel_table(c.byref(count))
    return [Kernel(table[i].contents) for i in range(count.value)]

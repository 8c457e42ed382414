"""The commands: ``--help``, docs/command_line.md and the shells' completion derive from this table."""

import importlib
from typing import Any

from gluonic.support.record import record


@record
class Command:
    """A command.

    Attributes
    ----------
    name : what the user types
    summary : one line for the list of commands
    description : what its ``--help`` begins with
    examples : arguments that are an example, each with what they do
    module : the module with its ``add_arguments(parser)`` and ``run(options)``, which returns an `Answer`; if
        it runs a program, with ``main(arguments, before)`` instead of ``run``
    runs_program : whether it runs a program, which gets the rest of the line and whose exit status counts
    no : what status 3 means, for a command that answers yes or no
    """

    name: str
    summary: str
    description: str
    examples: tuple[tuple[str, str], ...]
    module: str
    runs_program: bool = False
    no: str = ""

    def implementation(self) -> Any:
        """The module, imported when it is needed."""
        return importlib.import_module(self.module)


_ALL = (
    Command(
        "run",
        "run a program; the word may be left out",
        "Run an MXNet program on gluonic, unmodified, as Python itself would run it.",
        (
            ("train.py --epochs 3", "the program gets what follows its name"),
            ("--cpu -m package.train", "a module; the CPU stands in for GPUs"),
        ),
        "gluonic.commands.run",
        runs_program=True,
    ),
    Command(
        "summary",
        "list the layers of net-symbol.json, or the arrays in net-0000.params",
        "List the layers of a network with shapes, parameters and costs, or the arrays in a file.",
        (
            ("net-symbol.json --shape data=1,3,224,224", "layers, shapes, parameters, operations"),
            ("net-0000.params --json", "names, shapes, dtypes and sizes, for programs"),
        ),
        "gluonic.commands.summary",
    ),
    Command(
        "view",
        "show net-symbol.json as a page in a browser, or write a page or a picture",
        "Show the graph of a model, as a page in a browser. Without --output, no file is written.",
        (
            ("net-symbol.json", "the graph in a browser, with the parameters beside it"),
            ("net-symbol.json --output net.svg --no-open", "a picture"),
        ),
        "gluonic.commands.view",
    ),
    Command(
        "diff",
        "compare two models, whatever their names, or two files of arrays",
        "List the operators and parameters that were added, removed and changed between two models. Names\n"
        "do not count: operators are matched by what they do, parameters by what reads them. Of two files\n"
        "of arrays, those of the same name are compared.",
        (
            ("old-symbol.json new-symbol.json", "the networks, and the parameters beside them"),
            ("old-symbol.json new-symbol.json --output changes.html", "a page, too"),
            ("a.params b.npz --rtol 1e-5", "arrays; small differences do not count"),
        ),
        "gluonic.commands.diff",
        no="they differ",
    ),
    Command(
        "convert",
        "convert arrays to other formats and names, or a network to ONNX, PyTorch or a library",
        "Convert arrays between MXNet's .params (of every version), NumPy's .npz and .safetensors; or a\n"
        "network to today's symbol JSON, to ONNX (.onnx), to a module of PyTorch with its weights beside it\n"
        "(.py), or to a library for C with its header (.so, .o). What IN is follows from what it holds, what\n"
        "OUT is from its ending. ONNX and PyTorch, if installed, compute the outputs before files are written.",
        (
            ("net-0000.params net.safetensors --drop-kinds", "names without arg: and aux:"),
            ("net.safetensors net.params --kinds-of net-symbol.json", "and with them again"),
            (r"net.params net.npz --rename '_(weight|bias)$=.\1'", "other names"),
            ("net-symbol.json net.onnx --shape data=1,3,224,224", "ONNX, for batches of any size"),
            ("net-symbol.json net.py --shape data=1,3,224,224", "PyTorch: net.py, net.safetensors"),
            ("net-symbol.json net.so --shape data=1,3,224,224", "a library, net.so and net.h"),
        ),
        "gluonic.commands.convert",
    ),
    Command(
        "upgrade",
        "write an old network or old parameters as MXNet 1.9.1 would, and list the changes",
        "Read symbol JSON or parameters of any version of MXNet, list what is old about them, and write them\n"
        "as MXNet 1.9.1 would.",
        (
            ("old-symbol.json", "only lists the changes"),
            ("old-symbol.json new-symbol.json", "writes them"),
        ),
        "gluonic.commands.upgrade",
    ),
    Command(
        "predict",
        "compute a model's outputs for images, .npz or .csv",
        "Compute a model's outputs for images, for the arrays in a .npz file (by the names of the inputs), or\n"
        "for the rows of a .csv file; show them as a table, or write them.",
        (
            (
                "net-symbol.json cat.jpg dog.jpg --shape data=1,3,224,224 --imagenet",
                "the best classes",
            ),
            ("net-symbol.json inputs.npz --output outputs.npz", "arrays in, arrays out"),
            ("net-symbol.json rows.csv --output outputs.csv", "a row for each row"),
        ),
        "gluonic.commands.predict",
    ),
    Command(
        "bench",
        "time a model: eager and hybridized, for batch sizes and numbers of threads",
        "Time the predictions of a model, eager and hybridized, or in ONNX Runtime and PyTorch if these are\n"
        "installed, each in a process of its own. Times are the medians of repeated calls.",
        (
            ("net-symbol.json --shape data=1,3,224,224", "a table"),
            (
                "net-symbol.json --shape data=1,8 --batch-sizes 1,8,64 --threads 1,4",
                "all combinations",
            ),
            (
                "net-symbol.json --shape data=1,8 --modes hybridized,onnxruntime,pytorch",
                "beside other runtimes",
            ),
            ("net-symbol.json --shape data=1,8 --output times.svg", "a chart, too"),
        ),
        "gluonic.commands.bench",
    ),
    Command(
        "verify",
        "check that a model computes what its proof says, here or elsewhere",
        "Compute again what export(…, proof=True) has recorded beside a model, and compare. Where outputs\n"
        "differ, the results of all operators are compared, and the first that differs is named.",
        (
            ("net-0000.proof.npz", "with gluonic"),
            ("net-0000.proof.npz --mxnet ~/mxnet/bin/python", "and with the MXNet of that Python"),
            ("net-0000.proof.npz --onnx net.onnx --torch net.py", "and what was converted"),
            ("net-0000.proof.npz --library net.so", "and a library that was converted"),
            ("net-0000.proof.npz --output first.html", "draws the first operator that differs"),
        ),
        "gluonic.commands.verify",
        no="something differs",
    ),
    Command(
        "doctor",
        "list what a program uses that gluonic lacks, without running it",
        "Look through programs for names of MXNet that gluonic lacks, keywords that it does not take,\n"
        "packages that are not installed, and what Python and NumPy have dropped. Tell whether they are\n"
        "written for MXNet 1.x or 2.0, and what its names are called in the other. Nothing is run.",
        (
            ("train.py", "a line for each problem"),
            ("examples --json", "all programs in a folder"),
        ),
        "gluonic.commands.doctor",
        no="something is in the way of a program",
    ),
    Command(
        "modernize",
        "rewrite a program for MXNet 1.x with the names of 2.0",
        "Rewrite programs for MXNet 1.x with the names of 2.0 where that changes no result, and leave a\n"
        "comment where you must decide. Formatting and comments stay. Without an option, the result is shown.",
        (
            ("train.py --diff", "shows what would change"),
            ("train.py --output train2.py", "writes another file"),
            ("examples --in-place", "rewrites all programs in a folder"),
        ),
        "gluonic.commands.modernize",
        no="something is left to decide",
    ),
    Command(
        "report",
        "run a program, and write a page about the run to send on",
        "Run a program and write one page that needs no other file: what was compiled, what Python ran and\n"
        "why, times, memory and pictures. Every operator is timed, so runs should be short.",
        (
            ("train.py --epochs 1", "writes report.html"),
            ("--output slow.html predict.py", "options stand before the program"),
        ),
        "gluonic.commands.report",
        runs_program=True,
    ),
    Command(
        "serve",
        "serve models over HTTP, with KServe's protocol",
        "Answer requests for predictions over HTTP, with version 2 of KServe's protocol. Requests that come\n"
        "within a short time are computed as one batch. Only this machine can reach the server unless --host\n"
        "says otherwise; there is no encryption and no password.",
        (
            ("net-symbol.json", "http://127.0.0.1:8000/v2/models/net/infer"),
            ("net-symbol.json --shape data=1,3,224,224", "compiles before it listens"),
            ("cats=a-symbol.json dogs=b-symbol.json --port 80 --batch 64", "two models, by names"),
        ),
        "gluonic.commands.serve",
    ),
    Command(
        "warm",
        "fill the code cache for a program, or for a model and shapes",
        "Compile ahead: later runs take machine code from disk instead of making it. They take it at the\n"
        "call at which they would have made it: at the first one with hybridize(compile_at_once=True).\n"
        "A program is run, and its first calls compile; a model is compiled for the shapes of its inputs.",
        (
            ("train.py --epochs 1", "runs the program"),
            ("net-symbol.json --shape data=1,3,224,224", "compiles a model for prediction"),
        ),
        "gluonic.commands.warm",
        runs_program=True,
    ),
    Command(
        "im2rec",
        "list the images in folders, and pack them into record files",
        "Make lists of the images in a folder, or pack the images of lists into files of records.",
        (
            ("--list --recursive data/train photos", "data/train.lst; each folder is a label"),
            ("--resize 256 data/train photos", "data/train.rec and its index"),
        ),
        "gluonic.tools.im2rec",
    ),
    Command(
        "info",
        "show what was found on this machine, or with --for which packages a program needs",
        "Show what gluonic finds on this machine, which packages a program needs, or what environment\n"
        "variables mean.",
        (
            ("", "a fact a line"),
            ("--for train.py", "packages and their versions"),
            ("--environment", "all environment variables"),
        ),
        "gluonic.commands.info",
    ),
    Command(
        "completion",
        "print a script with which a shell completes commands and options",
        "Print a script for a shell, with which it completes commands, options and file names.",
        (("bash >> ~/.bashrc", "or zsh, or fish"),),
        "gluonic.commands.completion",
    ),
)
COMMANDS = {command.name: command for command in _ALL}
